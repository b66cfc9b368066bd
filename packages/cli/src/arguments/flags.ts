/** Parsers of flag values; each error names the flag, what was expected and what was found. */
import { SandboxError, isEnvironmentName } from '@omnigent/protocol';

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** A duration such as `90`, `90s`, `15m`, `8h`, `2d`, in seconds. */
export function parseDuration(flag: string, text: string): number {
  const [, number, unit = 's'] = /^(\d{1,9}(?:\.\d+)?)([smhd])?$/.exec(text) ?? [];
  const seconds = Number(number) * (UNITS[unit] ?? 1);
  if (number === undefined || seconds <= 0) {
    throw new SandboxError(
      'usage',
      `${flag}: expected a duration such as 90s, 15m or 8h, found ${JSON.stringify(text)}`,
    );
  }
  return seconds;
}

/** Repeated `NAME=VALUE` flags as one object. */
export function parsePairs(flag: string, texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const equals = text.indexOf('=');
      if (equals <= 0)
        throw new SandboxError('usage', `${flag}: expected NAME=VALUE, found ${JSON.stringify(text)}`);
      return [text.slice(0, equals), text.slice(equals + 1)];
    }),
  );
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Repeated `--env`: `NAME=VALUE`, or `NAME` to copy the caller's own. */
export function parseEnvironmentFlags(
  texts: readonly string[],
  environment: Environment,
): Record<string, string> {
  const pairs = texts.map((text) => {
    const value = text.includes('=') ? text : `${text}=${environment[text] ?? missing(text)}`;
    const name = value.slice(0, value.indexOf('='));
    if (!isEnvironmentName(name))
      throw new SandboxError(
        'usage',
        `--env: expected a variable name of letters, digits and _, found ${JSON.stringify(name)}`,
      );
    return value;
  });
  return parsePairs('--env', pairs);
}

function missing(name: string): never {
  throw new SandboxError(
    'usage',
    `--env: expected NAME=VALUE or the name of a variable that is set, found ${JSON.stringify(name)}`,
  );
}
