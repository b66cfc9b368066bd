import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { VERSION, isCredentialName, isEnvironmentName, isLabelValue } from './index.ts';

describe('isEnvironmentName', () => {
  it.each(['MY-VAR;', '1X', '', 'A=B', 'A\n', 'É'])('refuses %j', (name) =>
    expect(isEnvironmentName(name)).toBe(false),
  );
  it.each(['A', '_', 'a1_B'])('accepts %j', (name) => expect(isEnvironmentName(name)).toBe(true));
});

describe('isCredentialName', () => {
  it.each(['API_KEY', 'token', 'My_Secret_X', 'DB_PASSWORD', 'GOOGLE_APPLICATION_CREDENTIALS'])(
    'finds %s',
    (name) => expect(isCredentialName(name)).toBe(true),
  );
  it.each(['MONKEY', 'KEYBOARD', 'TOKENS'])('lets %s pass', (name) =>
    expect(isCredentialName(name)).toBe(false),
  );
});

describe('isLabelValue', () => {
  it.each(['', 'a', 'A.b_c-1', 'a'.repeat(63)])('accepts %j', (value) =>
    expect(isLabelValue(value)).toBe(true),
  );
  it.each(['-a', 'a-', 'a\n', 'a b', 'a'.repeat(64), '_@x.io', 'é'])('refuses %j', (value) =>
    expect(isLabelValue(value)).toBe(false),
  );
});

describe('VERSION', () => {
  it('is that of every package', () => {
    for (const name of ['protocol', 'launcher', 'host', 'server', 'client', 'cli', 'testkit']) {
      const text = readFileSync(new URL(`../../${name}/package.json`, import.meta.url), 'utf8');
      expect(JSON.parse(text)).toMatchObject({ version: VERSION });
    }
  });
});
