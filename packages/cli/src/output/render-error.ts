/** Errors for people: what happened, at which stage, the evidence, what to do next. */
import colors from 'picocolors';
import { diagnosisSchema, isSandboxError, toErrorMessage } from '@omnigent/protocol';
import type { Diagnosis } from '@omnigent/protocol';

/** Coloured on a terminal only. */
const LABEL = colors.red('omnigent:');
const ADVICE = colors.bold('what to do:');
const indent = (text: string) => text.replace(/^/gm, '    ');

/** The lines of an error. */
export function renderError(error: unknown): string {
  if (!isSandboxError(error)) return `${LABEL} ${toErrorMessage(error)}\n`;
  const diagnosis = diagnosisSchema.safeParse(error.details['diagnosis']).data;
  if (diagnosis !== undefined) return renderDiagnosis(diagnosis);
  return `${LABEL} ${error.message}\n  ${ADVICE} ${error.advice}\n`;
}

/** The lines of a diagnosis. */
export function renderDiagnosis(diagnosis: Diagnosis): string {
  const { message, stage, advice, log, events, containers, notes } = diagnosis;
  const parts = [
    `${LABEL} the sandbox could not be launched: ${message}`,
    `  stage: ${stage}${renderTimes(diagnosis)}`,
    ...containers.map(
      ({ name, reason, exit_code: code, message: text }) =>
        `  container ${name}: ${[reason, code === null ? null : `exit code ${code}`, text].filter((part) => part !== null && part !== '').join(', ')}`,
    ),
    ...events.map(
      ({ reason, message: text, count }) =>
        `  event ${reason}${count > 1 ? ` (${count} times)` : ''}: ${text}`,
    ),
    ...(log === null ? [] : [`  last lines of ${log.container}:`, indent(log.text)]),
    ...notes.map((note) => `  note: ${note}`),
    `  ${ADVICE} ${advice}`,
  ];
  return `${parts.join('\n')}\n`;
}

function renderTimes({ stages }: Diagnosis): string {
  const times = stages.slice(0, -1).map(({ stage, at }, index) => {
    const next = stages[index + 1]?.at ?? at;
    return `${stage} ${((Date.parse(next) - Date.parse(at)) / 1000).toFixed(1)} s`;
  });
  return times.length === 0 ? '' : ` (${times.join(', ')})`;
}
