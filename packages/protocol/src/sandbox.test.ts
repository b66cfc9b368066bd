import { describe, expect, it } from 'vitest';
import { createSandboxSchema } from './index.ts';

describe('createSandboxSchema', () => {
  it.each(['OMNIGENT_HOST_TOKEN', 'OMNIGENT_HOST_ID', 'OMNIGENT_HOST_NAME', 'IS_SANDBOX', 'HOME'])(
    'refuses a request that would give the host another %s',
    (name) => {
      const result = createSandboxSchema.safeParse({ env: { [name]: 'x' } });
      expect(result.error?.issues[0]).toMatchObject({
        path: ['env'],
        message: expect.stringContaining('the launcher sets them itself'),
      });
    },
  );

  it('takes any other environment', () => {
    expect(createSandboxSchema.parse({ env: { A: '$(B)' } }).env).toEqual({ A: '$(B)' });
    expect(createSandboxSchema.parse({}).env).toEqual({});
  });
});
