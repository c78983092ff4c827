import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '../../stack/paths';

/** The code of sdk/README.md whose first line is `// <file>`, as it stands there. */
export async function codeOf(file: string): Promise<string> {
  const text = await readFile(join(projectRoot(), 'sdk', 'README.md'), 'utf8');
  const [, code] = text.split(`\`\`\`ts\n// ${file}\n`);
  if (code === undefined) throw new Error(`sdk/README.md has no ${file}`);
  return code.slice(0, code.indexOf('```'));
}
