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

/** `stat=1` answers {@link fileStatSchema}, `list=1` {@link directoryListSchema}, else the bytes (with `Range`). */
export const readFileQuerySchema = z.strictObject({
  path: filePathSchema,
  stat: flagSchema,
  list: flagSchema,
});

/** `mode` is octal, such as `755`. The file appears whole or not at all. */
export const writeFileQuerySchema = z.strictObject({
  path: filePathSchema,
  mode: z
    .string()
    .regex(/^[0-7]{3,4}$/, 'expected an octal mode such as 644')
    .optional(),
  parents: flagSchema,
});

export const deleteFileQuerySchema = z.strictObject({ path: filePathSchema, recursive: flagSchema });

export const createDirectorySchema = z.strictObject({
  path: filePathSchema,
  mode: z
    .string()
    .regex(/^[0-7]{3,4}$/)
    .optional(),
});

/** A tar stream of or into `path`. */
export const archiveQuerySchema = z.strictObject({ path: filePathSchema });
