import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { connectionTokenSchema, receivedTokenSchema } from './host-status.ts';
import { hostIdSchema, isHostId } from './ids.ts';

const expires_at = '2100-01-01T00:00:00.000Z';

describe('what is checked by hand', () => {
  it('takes the tokens that the schema takes', () => {
    const token = fc.oneof(
      fc.string(),
      fc.stringMatching(/^[A-Za-z0-9_-]{42,44}$/),
      fc.constant(undefined),
      fc.integer(),
    );
    fc.assert(
      fc.property(token, (value) => {
        const body = { token: value, expires_at };
        expect(receivedTokenSchema.safeParse(body).success).toBe(
          connectionTokenSchema.safeParse(body).success,
        );
      }),
    );
  });

  it.each([null, undefined, 'text', 3, []])('refuses %j', (value) =>
    expect(receivedTokenSchema.safeParse(value)).toMatchObject({ success: false }),
  );

  it('takes the host ids that the schema takes', () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^h[0-9a-z]{11,13}$/));
    fc.assert(
      fc.property(text, (id) => {
        expect(isHostId(id)).toBe(hostIdSchema.safeParse(id).success);
      }),
    );
  });
});
