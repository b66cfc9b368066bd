// A host that dials nobody: it runs the script in STAND_IN_SCRIPT with its own output, and stays until it is told to end.
import { spawn } from 'node:child_process';

if (process.argv.includes('--version')) process.exit(0);
process.once('SIGTERM', () => {
  console.log('told to end');
  process.exit(143);
});
const script = process.env.STAND_IN_SCRIPT ?? '';
const child = spawn('sh', ['-c', script], { stdio: ['ignore', 'inherit', 'inherit'] });
child.once('exit', (code) => {
  console.log(`script ended with ${code}`);
  if (process.env.STAND_IN_EXIT !== undefined) process.exit(Number(process.env.STAND_IN_EXIT));
});
setInterval(() => undefined, 60_000);
