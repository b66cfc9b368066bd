/** For tests: a registry in a directory of its own, and programs read to their end. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  LOG_STREAM,
  LogDecoder,
  processExitSchema,
  startProcessSchema,
  systemClock,
} from '@omnigent/protocol';
import type { ProcessExit, StartProcessInput } from '@omnigent/protocol';
import { followOutput } from '../processes/follow-output.ts';
import { ProcessRegistry } from '../processes/process-registry.ts';
import type { SupervisedProcess } from '../processes/supervised-process.ts';

/** What a program printed and how it ended. */
export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly terminal: string;
  readonly exit: ProcessExit;
}

export interface TestPrograms extends AsyncDisposable {
  readonly directory: string;
  readonly registry: ProcessRegistry;
  readonly start: (id: string, request: StartProcessInput) => SupervisedProcess;
}

/** Opens a registry with a fresh directory; ends its programs and removes the directory when disposed. */
export async function openPrograms(): Promise<TestPrograms> {
  const directory = await mkdtemp(join(tmpdir(), 'omnigent-programs-'));
  const bootId = crypto.randomUUID();
  const registry = new ProcessRegistry({
    directory: join(directory, 'logs', bootId),
    env: { PATH: process.env['PATH'] ?? '', HOME: directory },
    workspace: () => directory,
    bootId,
    clock: systemClock,
  });
  return {
    directory,
    registry,
    start: (id, request) => registry.start(id, startProcessSchema.parse(request)).process,
    async [Symbol.asyncDispose]() {
      await registry.stopAll(0);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Reads a program's log to its exit record; bytes as Latin-1. */
export async function readProgram({ log }: SupervisedProcess): Promise<Ended> {
  const decoder = new LogDecoder(0);
  const text = new Map<number, string>();
  const signal = new AbortController().signal;
  for await (const chunk of followOutput(log, { offset: 0, follow: true, signal })) {
    for (const { stream, data } of decoder.push(chunk))
      text.set(stream, (text.get(stream) ?? '') + Buffer.from(data).toString('latin1'));
  }
  return {
    stdout: text.get(LOG_STREAM.stdout) ?? '',
    stderr: text.get(LOG_STREAM.stderr) ?? '',
    terminal: text.get(LOG_STREAM.pty) ?? '',
    exit: processExitSchema.parse(JSON.parse(text.get(LOG_STREAM.exit) ?? 'null')),
  };
}

/** A request that runs a shell script. */
export function sh(script: string): StartProcessInput {
  return { argv: ['sh', '-c', script] };
}

/** Waits until a text stands in a program's log. */
export async function whenPrinted(program: SupervisedProcess, text: string): Promise<void> {
  const controller = new AbortController();
  let seen = '';
  for await (const chunk of followOutput(program.log, {
    offset: 0,
    follow: true,
    signal: controller.signal,
  })) {
    seen += Buffer.from(chunk).toString('latin1');
    if (seen.includes(text)) return;
  }
  throw new Error(`the program ended without printing ${JSON.stringify(text)}: ${JSON.stringify(seen)}`);
}
