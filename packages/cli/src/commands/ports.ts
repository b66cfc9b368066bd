/** `omnigent ports` and `omnigent forward`. */
import { EXIT, SandboxError } from '@omnigent/protocol';
import { parsePortPair } from '../arguments/ports.ts';
import { forwardPort } from '../forward/forward-port.ts';
import { renderTable } from '../output/table.ts';
import { connect } from '../server-access/connect.ts';
import type { ServerFlags } from '../server-access/connect.ts';
import { addServerFlags, collect } from './command-context.ts';
import type { CommandContext, RegisterCommand } from './command-context.ts';

interface ForwardFlags extends ServerFlags {
  readonly address: readonly string[];
}

const FORWARD_HELP = `
Each port is [LOCAL:]REMOTE, as kubectl port-forward has it: 8080 leads from port 8080 here to port 8080 there, 3000:8080 from 3000,
and :8080 from any that is free. It listens on 127.0.0.1 and ::1 only; --address 0.0.0.0 opens it to everybody who can reach
this machine. The program may begin to listen later, and connections are made anew after every interruption; those that were open
when the way broke are closed, not hung. Runs until Ctrl-C, and ends then with 0.

Examples:
  omnigent forward demo 8080
  omnigent forward demo 3000:8080 :5432
`;

const PORTS_HELP = `
What processes of the sandbox listen on over TCP, also on addresses of its own only. A program that runs as another user is not seen.
`;

/** Resolves at Ctrl-C or when told to end. */
function waitForEnd(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
}

async function forward(
  target: { readonly sandbox: string; readonly ports: readonly string[] },
  flags: ForwardFlags,
  context: CommandContext,
): Promise<number> {
  const pairs = target.ports.map(parsePortPair);
  if (pairs.length === 0) throw new SandboxError('usage', 'expected a port such as 8080, found none');
  const addresses = flags.address.length > 0 ? flags.address : ['127.0.0.1', '::1'];
  const client = await connect(flags, { environment: context.environment, isStarting: false });
  const sandbox = await client.get(target.sandbox);
  const note = (text: string) => context.writeError(`omnigent: ${text}\n`);
  await using forwardings = new AsyncDisposableStack();
  for (const pair of pairs) {
    const forwarding = forwardings.use(await forwardPort(sandbox, { pair, addresses, note }));
    for (const address of forwarding.addresses) note(`forwarding ${address} -> ${pair.remote}`);
  }
  await waitForEnd();
  return EXIT.ok;
}

export const registerPorts: RegisterCommand = (program, context) => {
  addServerFlags(program.command('ports'))
    .description('list what listens in a sandbox')
    .argument('<sandbox>', 'id or name')
    .option('--json', 'as JSON')
    .addHelpText('after', PORTS_HELP)
    .action(async (name: string, flags: ServerFlags & { readonly json?: boolean }) => {
      const client = await connect(flags, { environment: context.environment, isStarting: false });
      const ports = await (await client.get(name)).ports();
      if (flags.json === true) return context.writeOut(`${JSON.stringify({ items: ports })}\n`);
      const rows = ports.map(({ port, address, pid, program: command }) => [
        String(port),
        address,
        pid === null ? '' : String(pid),
        command ?? '',
      ]);
      context.writeOut(renderTable(['PORT', 'ADDRESS', 'PID', 'PROGRAM'], rows));
    });

  addServerFlags(program.command('forward'))
    .description('make ports of a sandbox reachable on this machine')
    .argument('<sandbox>', 'id or name')
    .argument('[port...]', '[LOCAL:]REMOTE')
    .option('--address <address>', 'address of this machine to listen on; may be repeated', collect, [])
    .addHelpText('after', FORWARD_HELP)
    .action(async (sandbox: string, ports: string[], flags: ForwardFlags) =>
      context.setStatus(await forward({ sandbox, ports }, flags, context)),
    );
};
