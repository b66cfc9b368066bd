/** `omnigent host`: reads its settings, runs until told to stop. */
import { EXIT, HOST_ENVIRONMENT, VERSION, isSandboxError, toErrorMessage } from '@omnigent/protocol';
import { runHost } from './host.ts';
import { HOST_USAGE, parseHostArguments, resolveSettings } from './settings.ts';

const REFUSED = new Set(['permission_denied', 'sandbox_terminated', 'server_certificate']);

function report(message: string): void {
  process.stderr.write(`omnigent host: ${message}\n`);
}

function toExitCode(error: unknown): number {
  if (!isSandboxError(error)) return EXIT.failure;
  if (error.code === 'usage') return EXIT.usage;
  return REFUSED.has(error.code) ? EXIT.hostRefused : EXIT.failure;
}

async function main(args: readonly string[]): Promise<number> {
  const values = parseHostArguments(args);
  if (values.help === true || values.version === true) {
    process.stdout.write(`${values.help === true ? HOST_USAGE : VERSION}\n`);
    return EXIT.ok;
  }
  const settings = resolveSettings(values, process.env);
  delete process.env[HOST_ENVIRONMENT.token];
  const controller = new AbortController();
  let stoppedBy = 0;
  for (const [signal, number] of [
    ['SIGTERM', 15],
    ['SIGINT', 2],
    ['SIGHUP', 1],
  ] as const) {
    process.on(signal, () => {
      stoppedBy ||= number;
      controller.abort();
    });
  }
  await runHost(settings, { signal: controller.signal, report });
  return stoppedBy === 0 ? EXIT.ok : EXIT.signalBase + stoppedBy;
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    const advice = isSandboxError(error) ? ` ${error.advice}` : '';
    report(`${toErrorMessage(error)}.${advice}`);
    process.exit(toExitCode(error));
  },
);
