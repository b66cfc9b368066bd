#!/usr/bin/env node
// Plain JavaScript that an old Node.js can read: it says in one line what is needed instead of failing with a syntax error.
const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  process.stderr.write(`omnigent needs Node.js 24 or newer; this is ${process.versions.node}\n`);
  process.exit(1);
}
const { enableCompileCache } = await import('node:module');
// Keeps the compiled code of the bundles between calls, in the user's temporary directory.
enableCompileCache?.();
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
