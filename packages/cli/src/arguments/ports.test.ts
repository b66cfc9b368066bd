import { describe, expect, it } from 'vitest';
import { parsePort, parsePortPair } from './ports.ts';

describe('parsePortPair', () => {
  it.each([
    ['8080', { local: 8080, remote: 8080 }],
    ['3000:8080', { local: 3000, remote: 8080 }],
    [':8080', { local: 0, remote: 8080 }],
    ['0:65535', { local: 0, remote: 65_535 }],
  ])('reads %s', (text, expected) => expect(parsePortPair(text)).toEqual(expected));

  it.each(['', '0', '65536', '8080:', '1:2:3', 'http', '-1', '8080:0', '70000:1', ' 80', '8080:localhost'])(
    'refuses %j and says so',
    (text) => expect(() => parsePortPair(text)).toThrow(JSON.stringify(text)),
  );
});

describe('parsePort', () => {
  it.each(['1', '8080', '65535'])('reads %s', (text) => expect(parsePort(text)).toBe(Number(text)));

  it.each(['', '0', '65536', ':80', '1e3', ' 80'])('refuses %j and says so', (text) =>
    expect(() => parsePort(text)).toThrow(JSON.stringify(text)),
  );
});
