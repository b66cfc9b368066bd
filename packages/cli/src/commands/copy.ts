/** `omnigent cp`. */
import { once } from 'node:events';
import { EXIT } from '@omnigent/protocol';
import type { SandboxHandle } from '@omnigent/client';
import { parseCopyArguments } from '../arguments/copy-place.ts';
import type { CopyArguments } from '../arguments/copy-place.ts';
import type { CopyContext } from '../copy/copy-context.ts';
import { copyFromStream, copyToStream } from '../copy/copy-stream.ts';
import { copyOut } from '../copy/download.ts';
import { copyIn } from '../copy/upload.ts';
import { Progress, resolveProgressMode } from '../output/progress.ts';
import { listenForInterrupts, toInterruptStatus } from '../run/interrupts.ts';
import type { Interrupt } from '../run/interrupts.ts';
import { readInput } from '../run/standard-input.ts';
import { connect } from '../server-access/connect.ts';
import type { ServerFlags } from '../server-access/connect.ts';
import { addServerFlags } from './command-context.ts';
import type { CommandContext, RegisterCommand } from './command-context.ts';

interface CopyFlags extends ServerFlags {
  readonly followLink?: boolean;
  readonly quiet?: boolean;
}

const HELP = `
One side is in a sandbox, as SANDBOX:PATH; relative paths start at the workspace. Directories are copied with all below them, as by
docker cp: into a target that is there, as a target that is not; DIR/. copies what is in DIR. Modes, times, links and holes are
kept, owners are not. Patterns such as 'demo:logs/*.txt' (quoted, for the shell) are matched in the sandbox.

- as the source gives stdin to a file, or unpacks it as tar into a directory or a target that ends with a slash; as the target it is the
bytes of a file or a directory as tar. docker has tar for files as well.

Missing directories above the target are made. A single file appears whole, goes on by itself after an interruption, and when the
command is repeated; a directory starts anew, and what came before is there.

Examples:
  omnigent cp demo:out/report.pdf .
  omnigent cp src package.json demo:app/
  omnigent cp 'demo:logs/*.txt' logs/
  omnigent cp demo:build - | tar -t
`;

async function run(places: CopyArguments, sandbox: SandboxHandle, context: CopyContext): Promise<void> {
  const { files } = sandbox;
  if (places.direction === 'out') {
    const sources = places.sources.map(({ path }) => path);
    if (places.target.kind === 'local') return await copyOut({ files, sources }, places.target.path, context);
    return await copyToStream({ files, source: sources[0] ?? '.' }, writeOut, context);
  }
  const target = places.target.path;
  const sources = places.sources.flatMap((place) => (place.kind === 'local' ? [place.path] : []));
  if (sources.length === 0) return await copyFromStream({ files, target }, readInput(), context);
  await copyIn({ files, target }, sources, context);
}

async function writeOut(chunk: Uint8Array): Promise<void> {
  if (!process.stdout.write(chunk)) await once(process.stdout, 'drain');
}

async function copy(texts: readonly string[], flags: CopyFlags, context: CommandContext): Promise<number> {
  const places = parseCopyArguments(texts);
  const names = places.direction === 'in' ? [places.target] : places.sources;
  const client = await connect(flags, { environment: context.environment, isStarting: false });
  const progress = new Progress({
    mode: resolveProgressMode({ quiet: flags.quiet === true }, process.stderr.isTTY),
    write: context.writeError,
    clock: context.clock,
  });
  const stop = new AbortController();
  const interrupts: Interrupt[] = [];
  const silence = listenForInterrupts({
    onFirst: (interrupt) => {
      interrupts.push(interrupt);
      stop.abort();
    },
    onSecond: (interrupt) => process.exit(toInterruptStatus(interrupt)),
  });
  try {
    for (const name of new Set(names.map(({ sandbox }) => sandbox))) {
      const sandbox = await client.get(name);
      const copying = { sandboxId: sandbox.id, progress, clock: context.clock, signal: stop.signal };
      const part =
        places.direction === 'in'
          ? places
          : { ...places, sources: places.sources.filter((place) => place.sandbox === name) };
      await run(part, sandbox, { ...copying, followsLinks: flags.followLink === true });
    }
    return EXIT.ok;
  } catch (error) {
    const [interrupt] = interrupts;
    if (interrupt !== undefined) return toInterruptStatus(interrupt);
    throw error;
  } finally {
    silence();
    progress.clear();
  }
}

export const registerCopy: RegisterCommand = (program, context) => {
  addServerFlags(program.command('cp'))
    .description('copy files and directories into a sandbox or out of one')
    .argument('<place...>', 'sources, then the target: SANDBOX:PATH, a path of this machine, or -')
    .option('-L, --follow-link', 'copy what a source leads to when it is a link')
    .option('-q, --quiet', 'no progress')
    .addHelpText('after', HELP)
    .action(async (places: string[], flags: CopyFlags) =>
      context.setStatus(await copy(places, flags, context)),
    );
};
