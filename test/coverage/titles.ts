import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** A test as its source tells it. */
export interface Titled {
  /** The titles of its describes and its own, joined by ` › `; `%s`, `$name` and `${…}` as they are written. */
  title: string;
  line: number;
}

const SUITES = new Set(['describe']);
/** `scenario`: tests of sideBySide (test/support/side-by-side.ts). */
const TESTS = new Set(['test', 'it', 'scenario']);

/** Every test of a file, found without running it. Titles that are no literals have no place in docs/coverage.md. */
export function titlesIn(file: string): Titled[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2022, true);
  const found: Titled[] = [];
  const visit = (node: ts.Node, above: readonly string[]): void => {
    const titled = ts.isCallExpression(node) ? titledCall(node, source) : undefined;
    if (titled === undefined) {
      ts.forEachChild(node, (child) => visit(child, above));
      return;
    }
    const titles = [...above, titled.title];
    if (titled.kind === 'test') {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      found.push({ title: titles.join(' › '), line: line + 1 });
      return;
    }
    for (const argument of titled.call.arguments) ts.forEachChild(argument, (child) => visit(child, titles));
  };
  visit(source, []);
  return found;
}

/** `describe('…', …)`, `test('…', …)`, and both with `.each(…)('…', …)`. */
function titledCall(
  call: ts.CallExpression,
  source: ts.SourceFile,
): { kind: 'suite' | 'test'; title: string; call: ts.CallExpression } | undefined {
  const [first] = call.arguments;
  if (first === undefined || call.arguments.length < 2) return undefined;
  const name = nameOf(call.expression);
  if (name === undefined || !(SUITES.has(name) || TESTS.has(name))) return undefined;
  const title = textOf(first, source);
  return title === undefined ? undefined : { kind: SUITES.has(name) ? 'suite' : 'test', title, call };
}

/** `test` of `test`, `test.each([…])` and ``test.each`…` ``; `skip` and `todo` prove nothing, so they have no name. */
function nameOf(expression: ts.Expression): string | undefined {
  if (ts.isIdentifier(expression)) return expression.text;
  const each = ts.isTaggedTemplateExpression(expression)
    ? expression.tag
    : ts.isCallExpression(expression)
      ? expression.expression
      : undefined;
  if (each === undefined || !ts.isPropertyAccessExpression(each) || each.name.text !== 'each')
    return undefined;
  return ts.isIdentifier(each.expression) ? each.expression.text : undefined;
}

function textOf(node: ts.Expression, source: ts.SourceFile): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) return node.getText(source).slice(1, -1);
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [left, right] = [textOf(node.left, source), textOf(node.right, source)];
    return left === undefined || right === undefined ? undefined : left + right;
  }
  return undefined;
}
