/** The native add-on for terminals, beside the host's bundle: a sandbox sees that folder and no node_modules. */
import { createRequire } from 'node:module';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { NewFile } from './replace-folder.ts';

/** The add-on for this machine; none where there is no prebuilt one. */
export async function readPtyBinding(folder: string): Promise<NewFile[]> {
  const system = `${process.platform}-${process.arch}`;
  const require = createRequire(createRequire(import.meta.url).resolve('@lydell/node-pty'));
  try {
    const found = dirname(require.resolve(`@lydell/node-pty-${system}`));
    const contents = await readFile(join(found, '..', 'prebuilds', system, 'pty.node'));
    return [{ path: join(folder, 'host', `pty-${system}.node`), contents }];
  } catch {
    return [];
  }
}
