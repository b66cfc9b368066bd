/** A request for another protocol, such as WebSocket: once the program agrees, bytes go both ways unread. */
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { SandboxError } from '@omnigent/protocol';
import type { Upgrade } from '../tunnel/upgrade.ts';
import { buildAnswerHeaders } from './answer-headers.ts';
import type { AnswerFacts } from './answer-headers.ts';
import { askProgram, lingerAndClose, toKnownError } from './ask-program.ts';
import type { ProgramRequest } from './ask-program.ts';
import { toRawHeaders } from './raw-headers.ts';

/** A caller that is gone without a word is found out. */
const KEEP_ALIVE_MS = 30_000;

/** Resolves when the answer is on its way. @throws SandboxError when there is none; nothing has been sent then. */
export async function proxyUpgrade(
  { duplex, head }: Upgrade,
  program: ProgramRequest,
  facts: AnswerFacts,
): Promise<void> {
  const asked = askProgram(program);
  const abandon = () => {
    asked.destroy();
    program.socket.destroy();
  };
  duplex.once('close', abandon);
  if (duplex.destroyed) return abandon();
  if (duplex instanceof Socket) duplex.setKeepAlive(true, KEEP_ALIVE_MS);
  asked.end();
  const { answer, first } = await whenDecided(asked);
  duplex.off('close', abandon);
  duplex.write(renderHead(answer, facts), 'latin1');
  if (first === undefined) return sendRefusal(answer, duplex, program.socket);
  duplex.write(first);
  duplex.unshift(head);
  join(duplex, program.socket);
}

interface Decision {
  readonly answer: IncomingMessage;
  /** The first bytes of the other protocol; undefined when the program answered in HTTP. */
  readonly first: Buffer | undefined;
}

function whenDecided(asked: ClientRequest): Promise<Decision> {
  return new Promise((resolve, reject) => {
    asked.once('upgrade', (answer, _socket, first) => resolve({ answer, first }));
    asked.once('response', (answer) => resolve({ answer, first: undefined }));
    asked.once('error', (error) => reject(toKnownError(error)));
    asked.once('close', () => reject(new SandboxError('canceled', 'the caller has gone')));
  });
}

function renderHead(answer: IncomingMessage, facts: AnswerFacts): string {
  const { statusCode = 502, statusMessage = '', headers } = answer;
  const connection =
    statusCode === 101
      ? [
          { name: 'Connection', value: 'Upgrade' },
          { name: 'Upgrade', value: headers.upgrade ?? '' },
        ]
      : [{ name: 'Connection', value: 'close' }];
  const raw = [...buildAnswerHeaders(answer.rawHeaders, facts), ...toRawHeaders(connection)];
  const lines = raw.flatMap((name, index) =>
    index % 2 === 0 ? [`${name}: ${raw[index + 1] ?? ''}\r\n`] : [],
  );
  return `HTTP/1.1 ${statusCode} ${statusMessage}\r\n${lines.join('')}\r\n`;
}

/** The end of the connection is the end of the body. */
function sendRefusal(answer: IncomingMessage, duplex: Duplex, socket: Duplex): void {
  pipeline(answer, duplex).then(
    () => lingerAndClose(socket),
    () => {
      socket.destroy();
      if (duplex instanceof Socket) duplex.resetAndDestroy();
      else duplex.destroy();
    },
  );
}

/** Each way has an end of its own; what breaks one, breaks the other. */
function join(duplex: Duplex, socket: Duplex): void {
  const destroyBoth = () => {
    duplex.destroy();
    socket.destroy();
  };
  pipeline(duplex, socket).catch(destroyBoth);
  pipeline(socket, duplex).catch(destroyBoth);
}
