export { hasSystemCode } from './file-system.ts';
export type { FileSystem } from './file-system.ts';
export { packTree } from './pack-tree.ts';
export { readTar } from './tar-reader.ts';
export { unpackTree } from './unpack-tree.ts';
