import { execFile } from 'node:child_process';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CASE_LINES } from './cases';

/** How a recipe is run: its code and a driver as files of one folder, and the commands, the last of which signs. */
export interface Way {
  /** Commands that have to be there, each with an argument that makes it tell its version. */
  tools: [command: string, versionArgument: string][];
  code: string;
  driver: [source: string, target: string];
  /** Further files, by name; `version` is what the first tool tells of itself. */
  more?: (version: string) => Record<string, string>;
  commands: string[][];
}

export interface Recipe {
  /** Of the section in docs/signing.md. */
  heading: string;
  fence: string;
  /** What the page's code has to define. */
  functions: string[];
  /** The first way whose tools are there is taken. */
  ways: Way[];
}

const snake = ['sign_fields', 'sign_body'];
const camel = ['signFields', 'signBody', 'matches'];
const pascal = ['SignFields', 'SignBody', 'Matches'];

const dotnet: Way = {
  tools: [['dotnet', '--version']],
  code: 'Signing.cs',
  driver: ['Driver.cs', 'Driver.cs'],
  more: (version) => ({
    'recipe.csproj': `<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType>
<TargetFramework>net${version.split('.')[0]}.0</TargetFramework><UseAppHost>false</UseAppHost></PropertyGroup></Project>`,
  }),
  commands: [
    ['dotnet', 'build', '--nologo', '-o', 'out', 'recipe.csproj'],
    ['dotnet', 'out/recipe.dll'],
  ],
};
const mono: Way = {
  tools: [
    ['mcs', '--version'],
    ['mono', '--version'],
  ],
  code: 'Signing.cs',
  driver: ['Driver.cs', 'Driver.cs'],
  commands: [
    ['mcs', '-out:recipe.exe', 'Driver.cs', 'Signing.cs'],
    ['mono', 'recipe.exe'],
  ],
};

export const RECIPES: Recipe[] = [
  {
    heading: 'openssl and curl',
    fence: 'bash',
    functions: snake,
    ways: [
      {
        tools: [
          ['openssl', 'version'],
          ['bash', '--version'],
        ],
        code: 'signing.sh',
        driver: ['driver.sh', 'driver.sh'],
        commands: [['bash', 'driver.sh']],
      },
    ],
  },
  {
    heading: 'Python',
    fence: 'python',
    functions: [...snake, 'matches'],
    ways: [
      {
        tools: [['python3', '--version']],
        code: 'signing.py',
        driver: ['driver.py', 'driver.py'],
        commands: [['python3', '-X', 'utf8', 'driver.py']],
      },
    ],
  },
  {
    heading: 'Node.js',
    fence: 'js',
    functions: camel,
    ways: [
      {
        tools: [['node', '--version']],
        code: 'signing.mjs',
        driver: ['driver.mjs', 'driver.mjs'],
        commands: [['node', 'driver.mjs']],
      },
    ],
  },
  {
    heading: 'PHP',
    fence: 'php',
    functions: [...snake, 'matches'],
    ways: [
      {
        tools: [['php', '--version']],
        code: 'signing.php',
        driver: ['driver.php', 'driver.php'],
        commands: [['php', 'driver.php']],
      },
    ],
  },
  {
    heading: 'Java',
    fence: 'java',
    functions: camel,
    ways: [
      {
        tools: [
          ['javac', '-version'],
          ['java', '-version'],
        ],
        code: 'Signing.java',
        driver: ['Driver.java', 'Driver.java'],
        commands: [
          [
            'javac',
            '-encoding',
            'UTF-8',
            '-proc:none',
            '-J-XX:TieredStopAtLevel=1',
            'Driver.java',
            'Signing.java',
          ],
          ['java', '-XX:TieredStopAtLevel=1', '-Xshare:auto', 'Driver'],
        ],
      },
    ],
  },
  {
    heading: 'Go',
    fence: 'go',
    functions: pascal,
    ways: [
      {
        tools: [['go', 'version']],
        code: 'signing/signing.go',
        driver: ['driver.go', 'main.go'],
        more: () => ({ 'go.mod': 'module recipe\n\ngo 1.21\n' }),
        commands: [['go', 'build', '-o', 'driver', '.'], ['./driver']],
      },
    ],
  },
  {
    heading: 'C#',
    fence: 'csharp',
    functions: pascal,
    ways: [dotnet, mono],
  },
];

const DRIVERS = join(__dirname, 'drivers');
const TIMEOUT_MS = 50_000;

/** The code of the section's first block, or of its `nth`. */
export function codeOf(page: string, heading: string, fence: string, nth = 0): string {
  const section = page.split(/^### /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  const blocks = [...section.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].filter(([, name]) => name === fence);
  const code = blocks[nth]?.[2];
  if (code === undefined) throw new Error(`docs/signing.md: no ${fence} block ${nth + 1} under "${heading}"`);
  return code;
}

/** The first way whose tools are all on this machine, with what the first of them tells of itself. */
export async function wayOf({ ways }: Recipe): Promise<{ way: Way; version: string } | undefined> {
  for (const way of ways) {
    const asked = await Promise.allSettled(way.tools.map((tool) => run(tool, '.')));
    const [first] = asked;
    if (first?.status === 'fulfilled' && asked.every(({ status }) => status === 'fulfilled'))
      return { way, version: first.value };
  }
  return undefined;
}

/** What the driver says of the cases, one line for each. */
export async function runRecipe(way: Way, version: string, code: string, folder: string): Promise<string[]> {
  await mkdir(join(folder, dirname(way.code)), { recursive: true });
  await writeFile(join(folder, way.code), code);
  await copyFile(join(DRIVERS, way.driver[0]), join(folder, way.driver[1]));
  for (const [name, text] of Object.entries(way.more?.(version) ?? {}))
    await writeFile(join(folder, name), text);
  let output = '';
  for (const command of way.commands) output = await run(command, folder, CASE_LINES);
  return output.trim().split(/\r?\n/);
}

/** Without what a machine's own settings may add: another toolchain fetched, a module of ours asked for its revision. */
const ENVIRONMENT = {
  ...process.env,
  GOTOOLCHAIN: 'local',
  GOFLAGS: '-buildvcs=false',
  CGO_ENABLED: '0',
  GOWORK: 'off',
};

/** stdout and, for tools that tell their version there, stderr. @throws with both */
export function run([command = '', ...args]: string[], cwd: string, input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { cwd, timeout: TIMEOUT_MS, killSignal: 'SIGKILL' as const, env: ENVIRONMENT };
    const child = execFile(command, args, options, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout || stderr);
      reject(new Error(`${command} ${args.join(' ')}: ${error.message}\n${stdout}\n${stderr}`));
    });
    // One that reads nothing may be gone before it is written to.
    child.stdin?.on('error', () => undefined).end(input);
  });
}
