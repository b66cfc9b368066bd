#!/usr/bin/env node
// Plain JavaScript that an old Node.js can read: it says in one line what is needed instead of failing with a syntax error.
const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  process.stderr.write(`omnigent needs Node.js 24 or newer; this is ${process.versions.node}\n`);
  process.exit(1);
}
const [{ enableCompileCache }, { homedir }, { join }] = await Promise.all([
  import('node:module'),
  import('node:os'),
  import('node:path'),
]);
// Keeps the compiled code of the bundles between calls, where only this user can write.
const cache = process.env.XDG_CACHE_HOME;
enableCompileCache(join(cache?.startsWith('/') ? cache : join(homedir(), '.cache'), 'omnigent', 'command'));
const command = process.argv[2];
if (command === 'version' || command === '--version') {
  const { VERSION } = await import('../dist/cli/version.js');
  process.stdout.write(`${VERSION}\n`);
} else if (command === 'host' || command === 'server') {
  // Their own processes' code: started here without a second process.
  process.argv.splice(2, 1);
  await import(`../dist/${command}/main.js`);
} else {
  await import('../dist/cli/main.js');
}
