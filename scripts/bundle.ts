/** `npm run build`: bundles command, server and host into packages/cli/dist. */
import { BUNDLES, BUNDLE_FOLDER, createBundle } from './bundle/bundles.ts';
import { readPtyBinding } from './bundle/pty-binding.ts';
import { replaceFolder } from './bundle/replace-folder.ts';

const files = (await Promise.all(BUNDLES.map((name) => createBundle(name)))).flat();
await replaceFolder(BUNDLE_FOLDER, [...files, ...(await readPtyBinding(BUNDLE_FOLDER))]);
