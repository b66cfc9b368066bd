/** `omnigent preview`. */
import { parsePort } from '../arguments/ports.ts';
import { connect } from '../server-access/connect.ts';
import type { ServerFlags } from '../server-access/connect.ts';
import { addServerFlags } from './command-context.ts';
import type { RegisterCommand } from './command-context.ts';

const PREVIEW_HELP = `
Prints an address for your browser that shows the web server on that port, under an origin of its own. The address works once, within two
minutes; the browser stays admitted for eight hours, or until the sandbox is gone. Whoever has the address may use it.

A program needs no such address: with Authorization: Bearer TOKEN it reaches the same web server at SERVER/preview/SANDBOX/PORT/.

Example:
  omnigent preview demo 3000
`;

export const registerPreview: RegisterCommand = (program, context) => {
  addServerFlags(program.command('preview'))
    .description('print an address that shows a web server of a sandbox in your browser')
    .argument('<sandbox>', 'id or name')
    .argument('<port>', 'port on which the web server listens')
    .addHelpText('after', PREVIEW_HELP)
    .action(async (name: string, portText: string, flags: ServerFlags) => {
      const port = parsePort(portText);
      const client = await connect(flags, { environment: context.environment, isStarting: false });
      const { url } = await (await client.get(name)).preview(port);
      context.writeOut(`${url}\n`);
    });
};
