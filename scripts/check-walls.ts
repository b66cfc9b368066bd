/** `npm run walls`: prints each broken wall with its place and what is allowed; exits 1 when there is one. */
import { fileURLToPath } from 'node:url';
import { renderBreach } from './walls/breach.ts';
import { checkWorkspace } from './walls/check-workspace.ts';
import { EXEMPTIONS } from './walls/rules.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const { files, imports, breaches } = await checkWorkspace(root, EXEMPTIONS);
for (const breach of breaches) process.stderr.write(`${renderBreach(breach)}\n`);
process.stderr.write(`${files} files with ${imports} imports: ${breaches.length} breaches of the walls\n`);
process.exitCode = breaches.length > 0 ? 1 : 0;
