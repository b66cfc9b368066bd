/** A program in a sandbox: how it is started and what is known of it. */
import * as z from 'zod';
import { SIGNAL_NAMES } from './exit-codes.ts';
import { isEnvironmentName } from './environment.ts';
import { processIdSchema } from './ids.ts';

const noNul = (text: string) => !text.includes('\0');
const argument = z
  .string()
  .max(128 * 1024)
  .refine(noNul, 'must not contain a NUL character');
export const environmentNameSchema = z
  .string()
  .refine(isEnvironmentName, 'expected a variable name: letters, digits and _, not starting with a digit');
export const environmentValuesSchema = z.record(environmentNameSchema, argument);

/** Columns and rows of a terminal. */
export const terminalSizeSchema = z.strictObject({
  columns: z.int().min(1).max(2000),
  rows: z.int().min(1).max(2000),
});
export type TerminalSize = z.infer<typeof terminalSizeSchema>;

/** Body of `PUT /v1/processes/{process_id}`. */
export const startProcessSchema = z.strictObject({
  argv: z
    .array(argument)
    .min(1)
    .max(4096)
    .refine((argv) => argv[0] !== '', 'the program must not be empty'),
  /** Absolute, or relative to the workspace. Default: the workspace. */
  cwd: argument.optional(),
  env: environmentValuesSchema.default({}),
  stdin: z.enum(['pipe', 'none']).default('none'),
  pty: terminalSizeSchema.optional(),
  limits: z
    .strictObject({
      /** The program is ended (SIGTERM, then SIGKILL) after this many seconds. */
      timeout_seconds: z.number().positive().max(31_536_000).optional(),
      /** Bytes of output kept; default 256 MiB. */
      output_bytes: z
        .int()
        .min(1024 * 1024)
        .optional(),
    })
    .default({}),
});
export type StartProcess = z.infer<typeof startProcessSchema>;
export type StartProcessInput = z.input<typeof startProcessSchema>;

/** How a program ended: exactly one of `exit_code` and `signal` is set, or `error` when it never started. */
export const processExitSchema = z.object({
  exit_code: z.int().nullable(),
  signal: z.enum(SIGNAL_NAMES).nullable(),
  oom_killed: z.boolean(),
  /** Memory limit of the sandbox in bytes, when the program was killed for it. */
  memory_limit_bytes: z.int().nullable(),
  timed_out: z.boolean(),
  /** Why the program never started. `program_not_found` → exit status 127, `program_not_executable` → 126. */
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  ended_at: z.iso.datetime(),
});
export type ProcessExit = z.infer<typeof processExitSchema>;

/** Answer of `GET /v1/processes/{process_id}`. Offsets are bytes of the log. */
export const processSchema = z.object({
  id: processIdSchema,
  argv: z.array(z.string()),
  cwd: z.string(),
  pty: terminalSizeSchema.nullable(),
  state: z.enum(['running', 'exited']),
  pid: z.int().nullable(),
  exit: processExitSchema.nullable(),
  started_at: z.iso.datetime(),
  output: z.object({ first_offset: z.int(), end_offset: z.int() }),
  input: z.object({ offset: z.int(), closed: z.boolean() }),
});
export type Process = z.infer<typeof processSchema>;

export const processListSchema = z.object({ items: z.array(processSchema) });

export const signalRequestSchema = z.strictObject({ signal: z.enum(SIGNAL_NAMES) });
export type SignalRequest = z.infer<typeof signalRequestSchema>;

/** Answer of `PUT /v1/processes/{id}/input`: the next offset expected and whether the input is closed. */
export const inputAnswerSchema = z.object({ offset: z.int(), closed: z.boolean() });

/** Query of an output request. `follow=1` keeps the answer open until the exit record. */
export const outputQuerySchema = z.strictObject({
  offset: z.coerce.number().int().min(0).default(0),
  follow: z.enum(['0', '1']).default('0'),
});

/** Query of an input request. `eof=1` closes stdin after the body. */
export const inputQuerySchema = z.strictObject({
  offset: z.coerce.number().int().min(0),
  eof: z.enum(['0', '1']).default('0'),
});

/** The exit status a shell would report: the code, 128 + n for a signal, 126/127 for a program that did not start. */
export function toExitStatus(exit: ProcessExit, signals: Readonly<Record<string, number>>): number {
  if (exit.error !== null) return exit.error.code === 'program_not_found' ? 127 : 126;
  if (exit.signal !== null) return 128 + (signals[exit.signal] ?? 0);
  return exit.exit_code ?? 1;
}
