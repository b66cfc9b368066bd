/** The end of a log, fit to be shown: short, without control characters, without credentials. */

const MAX_LINES = 20;
const MAX_CHARACTERS = 1_500;

const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/(\/\/)[^/\s@]*@/g, '$1***@'],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, '$1 ***'],
  [/\b(gh[pousr]_|github_pat_|glpat-|xox[abp]-|sk-)[A-Za-z0-9_-]{10,}/g, '$1***'],
  [/\b([A-Z0-9_]*(?:TOKEN|SECRET|PASSWORD|KEY|CREDENTIALS?))(\s*[=:]\s*)\S+/gi, '$1$2***'],
  [/(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/g, '***'],
];

/** At most 20 lines and 1,500 characters, redacted. */
export function toLogTail(text: string): string {
  const clean = text
    // oxlint-disable-next-line no-control-regex -- escape sequences and control characters are what this removes
    .replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '')
    // A progress line overwrites itself with carriage returns: its last state is what counts.
    .replace(/[^\n]*\r(?!\n)/g, '')
    // oxlint-disable-next-line no-control-regex -- as above
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '');
  const redacted = SECRETS.reduce((result, [pattern, shown]) => result.replace(pattern, shown), clean);
  return redacted.trimEnd().split('\n').slice(-MAX_LINES).join('\n').slice(-MAX_CHARACTERS);
}
