/** docs/reference/cli.md from what the command itself says. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { OMNIGENT } from '../omnigent/start-command.ts';

const run = promisify(execFile);

/** These are other programs under the same name and explain themselves. */
const PROGRAMS = new Set(['server', 'host']);

async function readHelp(args: readonly string[]): Promise<string> {
  const env = { ...process.env, COLUMNS: '100', NO_COLOR: '1' };
  const { stdout } = await run(process.execPath, [OMNIGENT, ...args], { env });
  return stdout.trimEnd();
}

/** Names under "Commands:" of the general help. */
function listCommands(help: string): string[] {
  const [, section = ''] = help.split('\nCommands:\n');
  return [...section.matchAll(/^ {2}(\w+)/gm)].map(([, name = '']) => name).filter((name) => name !== 'help');
}

function renderSection(title: string, help: string): string {
  return `## ${title}\n\n\`\`\`\n${help}\n\`\`\`\n`;
}

/** Renders the page of commands; needs the bundles. */
export async function renderCli(): Promise<string> {
  const general = await readHelp(['help']);
  const sections = await Promise.all(
    listCommands(general).map(async (name) => {
      const help = await readHelp(PROGRAMS.has(name) ? [name, '--help'] : ['help', name]);
      return renderSection(`omnigent ${name}`, help);
    }),
  );
  return `# The command\n\n${[renderSection('omnigent', general), ...sections].join('\n')}`;
}
