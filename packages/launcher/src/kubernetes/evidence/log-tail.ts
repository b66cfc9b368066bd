/** The end of a log, fit to be shown: short, without control characters, without credentials. */

const MAX_LINES = 20;
const MAX_CHARACTERS = 1_500;

const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/(\/\/)[^/\s@]*@/g, '$1***@'],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, '$1 ***'],
  [/\b(gh[pousr]_|github_pat_|glpat-|xox[abp]-|sk-)[A-Za-z0-9_-]{10,}/g, '$1***'],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, '***'],
  [/\b([A-Z0-9_]*(?:TOKEN|SECRET|PASSWORD|KEY|CREDENTIALS?))(\s*[=:]\s*)\S+/gi, '$1$2***'],
  // What 32 random bytes look like in base64url: a launch token.
  [/(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/g, '***'],
];

function redact(text: string, secrets: readonly string[]): string {
  const known = secrets.filter((secret) => secret !== '');
  const withoutKnown = known.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
  return SECRETS.reduce((rest, [pattern, shown]) => rest.replace(pattern, shown), withoutKnown);
}

/** A progress line overwrites itself with carriage returns: its last state is what counts. */
function keepLastState(line: string): string {
  return line.replace(/\r+$/, '').split('\r').at(-1) ?? '';
}

/**
 * At most 20 lines and 1,500 characters, redacted.
 *
 * @param secrets texts that must not appear, whatever they look like.
 */
export function toLogTail(text: string, secrets: readonly string[] = []): string {
  const clean = text
    // oxlint-disable-next-line no-control-regex -- escape sequences are what this removes
    .replace(/\u001b(\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(\u0007|\u001b\\)?|[@-Z\\^_])/g, '')
    .split('\n')
    .map(keepLastState)
    .join('\n')
    .replace(/[^\P{Cc}\n\t]/gu, '');
  const lines = redact(clean, secrets).trimEnd().split('\n').slice(-MAX_LINES);
  return lines.join('\n').slice(-MAX_CHARACTERS);
}
