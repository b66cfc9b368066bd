/** `PUT /v1/workspace`: the host makes the workspace. The answer is one JSON object a line (NDJSON) until done or failed. */
import * as z from 'zod';

const MAX_REPOSITORIES = 10;

export const gitOptionsSchema = z.strictObject({
  /** `--depth`; absent: full history. */
  depth: z.int().min(1).optional(),
  /** `--filter`, such as `blob:none`. */
  filter: z.string().max(64).optional(),
  submodules: z.boolean().default(false),
  /** `skip` leaves pointer files; `fetch` runs git-lfs. */
  lfs: z.enum(['skip', 'fetch']).default('skip'),
});
export type GitOptions = z.infer<typeof gitOptionsSchema>;

/** Body of `PUT /v1/workspace`. A repeated request with the same body is harmless; with another it is `workspace_conflict`. */
export const prepareWorkspaceSchema = z.strictObject({
  repositories: z
    .array(
      z.strictObject({
        url: z.string().min(1).max(4096),
        branch: z.string().min(1).max(255).optional(),
        /** Name below the workspace directory; no slash. */
        directory: z
          .string()
          .min(1)
          .max(255)
          .refine(
            (name) => !/[/\\\0]/.test(name) && name !== '.' && name !== '..' && name !== '.git',
            'expected a plain directory name',
          ),
      }),
    )
    .max(MAX_REPOSITORIES),
  git: gitOptionsSchema.default({ submodules: false, lfs: 'skip' }),
  /** Budget of the whole preparation. */
  timeout_seconds: z.number().positive().max(86_400).default(3600),
});
export type PrepareWorkspace = z.infer<typeof prepareWorkspaceSchema>;
export type PrepareWorkspaceInput = z.input<typeof prepareWorkspaceSchema>;

export const workspaceEventSchema = z.discriminatedUnion('type', [
  /** git's own progress line, at most a few a second. */
  z.object({ type: z.literal('progress'), directory: z.string(), message: z.string().max(2000) }),
  z.object({
    type: z.literal('failed'),
    directory: z.string().nullable(),
    /** One of the registry's `clone_*` codes, `git_missing`, `disk_full` or `workspace_conflict`. */
    code: z.string(),
    message: z.string().max(4000),
    /** The last lines of git's text, redacted. */
    output: z.string().max(8000),
  }),
  /** `path` is the workspace to use: the clone of a single repository, else the directory above the clones. */
  z.object({
    type: z.literal('done'),
    path: z.string().max(4096),
    heads: z.record(z.string(), z.string().nullable()),
  }),
]);
export type WorkspaceEvent = z.infer<typeof workspaceEventSchema>;
