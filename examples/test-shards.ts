/**
 * `node test-shards.ts REPOSITORY SHARDS PROGRAM`: runs a shell program in that many fresh clones at once; each sees which part is its own
 * as $SHARD of $SHARDS. Ends with 1 when a shard failed; what the others said is complete.
 */
import { connect } from './connect.ts';

const [repository = '', count = '', program = ''] = process.argv.slice(2);
const client = connect(process.env);

interface Shard {
  readonly name: string;
  readonly exitCode: number;
  readonly output: string;
}

async function runShard(index: number): Promise<Shard> {
  const env = { SHARD: String(index), SHARDS: count };
  await using sandbox = await client.launch({ repositories: [repository], env });
  const { exitCode, stdout, stderr } = await sandbox.exec(program, { timeoutSeconds: 600 });
  return { name: `${index}/${count}`, exitCode, output: stdout + stderr };
}

const shards = await Promise.all(Array.from({ length: Number(count) }, (_, index) => runShard(index + 1)));
for (const { name, exitCode, output } of shards) {
  console.log(`shard ${name}: ${exitCode === 0 ? 'passed' : `failed with ${exitCode}`}`);
  process.stdout.write(output);
}
process.exitCode = shards.some(({ exitCode }) => exitCode !== 0) ? 1 : 0;
