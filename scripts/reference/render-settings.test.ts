import { localConfigSchema, parseProviderConfig } from '@omnigent/launcher';
import { configSchema } from '@omnigent/server';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readSettingsExample } from './render-settings.ts';
import { LOCAL_SETTINGS, SANDBOX_SETTINGS, SERVER_SETTINGS } from './settings.ts';

describe('docs/reference/settings.md', () => {
  const { server, sandbox } = configSchema.shape;

  test.each([
    ['server', SERVER_SETTINGS, server.unwrap().shape],
    ['sandbox', SANDBOX_SETTINGS, sandbox.unwrap().shape],
    ['sandbox.local', LOCAL_SETTINGS, localConfigSchema.shape],
  ])('has every key of %s and no other', (_, settings, shape) => {
    expect(Object.keys(settings).toSorted()).toEqual(Object.keys(shape).toSorted());
  });

  test('shows an example that the server accepts', async () => {
    const config = configSchema.parse(parse(readSettingsExample()));
    await expect(parseProviderConfig('kubernetes', config.sandbox.kubernetes, {})).resolves.toBeUndefined();
  });
});
