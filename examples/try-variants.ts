/** `node try-variants.ts PROGRAM VALUE…`: one sandbox for each value, all at once; the program sees it as $VARIANT. */
import { connect } from './connect.ts';

const [program = '', ...values] = process.argv.slice(2);
const client = connect(process.env);

/** What the program says in a sandbox of its own. */
async function tryVariant(value: string): Promise<string> {
  await using sandbox = await client.launch({ env: { VARIANT: value } });
  const { stdout, exitCode } = await sandbox.exec(['sh', '-c', program]);
  return `${value}: exit status ${exitCode}, ${stdout.trim()}`;
}

for (const line of await Promise.all(values.map(tryVariant))) console.log(line);
