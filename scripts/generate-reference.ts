/** `npm run reference`: writes docs/reference from code. A test compares the pages with what this would write. */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { REFERENCE_PAGES } from './reference/pages.ts';

const folder = fileURLToPath(new URL('../docs/reference/', import.meta.url));
for (const { name, render } of REFERENCE_PAGES) await writeFile(folder + name, await render());
