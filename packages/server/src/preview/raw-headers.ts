/** Headers as flat lists of names and values, in their order and spelling. Pure. */

/** Of one connection only, never passed on (RFC 9110, 7.6.1), with what was said before that. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
]);

export interface HeaderLine {
  /** In lower case. */
  readonly key: string;
  readonly name: string;
  readonly value: string;
}

/** The lines of a message that go beyond its connection. */
export function listEndToEnd(rawHeaders: readonly string[]): HeaderLine[] {
  const lines = toLines(rawHeaders);
  const named = lines
    .filter(({ key }) => key === 'connection')
    .flatMap(({ value }) => value.split(',').map((name) => name.trim().toLowerCase()));
  return lines.filter(({ key }) => !HOP_BY_HOP.has(key) && !named.includes(key));
}

/** Back to the flat form. */
export function toRawHeaders(lines: readonly Omit<HeaderLine, 'key'>[]): string[] {
  return lines.flatMap(({ name, value }) => [name, value]);
}

function toLines(rawHeaders: readonly string[]): HeaderLine[] {
  const lines: HeaderLine[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    lines.push({ key: name.toLowerCase(), name, value });
  }
  return lines;
}
