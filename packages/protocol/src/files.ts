/** Files in the sandbox: `GET/PUT/DELETE /v1/files`, `POST /v1/directories`, `GET/PUT /v1/archive`. Paths are absolute or relative to the workspace. */
import * as z from 'zod';
import { flagSchema } from './wire.ts';

export const filePathSchema = z
  .string()
  .min(1)
  .max(4096)
  .refine((path) => !path.includes('\0'), 'must not contain a NUL character');

/** What a path is. `size` in bytes, `mode` the permission bits. */
export const fileStatSchema = z.object({
  path: z.string(),
  kind: z.enum(['file', 'directory', 'symlink', 'other']),
  size: z.int(),
  mode: z.int(),
  modified_at: z.iso.datetime(),
  target: z.string().nullable(),
});
export type FileStat = z.infer<typeof fileStatSchema>;

export const directoryListSchema = z.object({
  path: z.string(),
  items: z.array(fileStatSchema),
  truncated: z.boolean(),
});
export type DirectoryList = z.infer<typeof directoryListSchema>;

/** Names a file that comes in parts; letters, digits, `-` and `_`. */
const uploadSchema = z
  .string()
  .regex(/^[A-Za-z0-9_-]{8,64}$/, 'expected 8 to 64 letters, digits, - or _')
  .optional();

const octalModeSchema = z.string().regex(/^[0-7]{3,4}$/, 'expected an octal mode such as 644');

/**
 * `stat=1` answers {@link fileStatSchema}, `list=1` {@link directoryListSchema}, else the bytes (with `Range`). `stat=1` with `upload`
 * describes what has come of that upload.
 */
export const readFileQuerySchema = z.strictObject({
  path: filePathSchema,
  stat: flagSchema,
  list: flagSchema,
  upload: uploadSchema,
});

/**
 * `mode` is octal, such as `755`. The file appears whole or not at all. With `upload` it may come in parts: each begins at `offset`, which
 * what came before must reach, and the file appears when `size` bytes are there; until then the answer is 202.
 */
export const writeFileQuerySchema = z
  .strictObject({
    path: filePathSchema,
    mode: octalModeSchema.optional(),
    modified_at: z.iso.datetime().optional(),
    parents: flagSchema,
    upload: uploadSchema,
    offset: z.coerce.number().int().min(0).optional(),
    size: z.coerce.number().int().min(0).optional(),
  })
  .refine(
    ({ upload, offset, size }) =>
      [upload, offset, size].every((part) => part === undefined) ||
      (upload !== undefined && offset !== undefined && size !== undefined),
    {
      message: 'upload, offset and size go together',
      path: ['upload'],
    },
  );

export const deleteFileQuerySchema = z.strictObject({ path: filePathSchema, recursive: flagSchema });

export const createDirectorySchema = z.strictObject({
  path: filePathSchema,
  mode: octalModeSchema.optional(),
});

/** What is packed: a directory as `.`, a file or link under its name. `follow=1` follows a link that the path itself is. */
export const readArchiveQuerySchema = z.strictObject({ path: filePathSchema, follow: flagSchema });

/** The directory to unpack in; `parents=1` makes it and those above it. */
export const writeArchiveQuerySchema = z.strictObject({ path: filePathSchema, parents: flagSchema });
