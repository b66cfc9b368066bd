/**
 * `node notebook-session.ts`: cells for an interpreter that lives in a sandbox and keeps its variables between them, also from one
 * connection to the next.
 */
import { LOG_STREAM } from '@omnigent/protocol';
import type { RunningProcess } from '@omnigent/client';
import { connect } from './connect.ts';

/** Reads cells as lines of JSON, and says after each which one is done. */
const INTERPRETER = `
import json, sys, traceback
variables = {}
for number, line in enumerate(sys.stdin, 1):
    try: exec(json.loads(line), variables)
    except Exception: traceback.print_exc(limit=0, file=sys.stdout)
    print(f'\\x00done {number}', flush=True)
`;

/** Runs one cell and returns what it printed. */
async function runCell(interpreter: RunningProcess, code: string): Promise<string> {
  const { output } = await interpreter.read();
  await interpreter.write(new TextEncoder().encode(`${JSON.stringify(code)}\n`));
  let text = '';
  for await (const { stream, data } of interpreter.output({ offset: output.end_offset })) {
    if (stream === LOG_STREAM.stdout) text += new TextDecoder().decode(data);
    if (/\0done \d+\n$/.test(text)) break;
  }
  return text.replace(/\0done \d+\n$/, '').trim();
}

const first = await connect(process.env).launch({});
// With something to read, its input stays open for more.
const started = first.prepare(['python3', '-c', INTERPRETER], { input: '' });
await started.ensureStarted();
console.log('1:', await runCell(started, 'x = 20'));
console.log('2:', await runCell(started, 'x += 1; print(x)'));
console.log('3:', await runCell(started, 'print(x / 0)'));

// Another connection, as of another program on another day, finds the same variables by two ids.
await using later = await connect(process.env).get(first.id);
console.log('4:', await runCell(later.process(started.id), 'print("still", x * 2)'));
