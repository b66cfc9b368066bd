/** `node stream-a-program.ts REPOSITORY PROGRAM [ARGUMENT…]`: runs a program in a fresh clone, as it goes. */
import { connect } from './connect.ts';

const [repository = '', ...argv] = process.argv.slice(2);
await using sandbox = await connect(process.env).launch(
  { repositories: [repository] },
  { onEvent: (event) => event.type === 'stage' && console.error(`… ${event.stage}`) },
);
const { exitCode } = await sandbox.exec(argv, {
  onStdout: (chunk) => process.stdout.write(chunk),
  onStderr: (chunk) => process.stderr.write(chunk),
});
process.exitCode = exitCode;
