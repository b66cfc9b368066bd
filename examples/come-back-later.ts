/** `node come-back-later.ts`: starts a program, drops the connection, and reads everything later by another one. */
import { setTimeout as sleep } from 'node:timers/promises';
import { LOG_STREAM } from '@omnigent/protocol';
import { connect } from './connect.ts';

const first = connect(process.env);
const { id: sandboxId } = await first.launch({});
const started = (await first.get(sandboxId)).prepare('for i in 1 2 3 4 5; do echo line $i; sleep 0.1; done');
await started.ensureStarted();
console.log('started; nobody is connected for a while');
await sleep(300);

await using sandbox = await connect(process.env).get(sandboxId);
for await (const { stream, data } of sandbox.process(started.id).output())
  if (stream === LOG_STREAM.stdout) process.stdout.write(data);
