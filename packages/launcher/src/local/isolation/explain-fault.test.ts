import { describe, expect, it } from 'vitest';
import { explainFault } from './explain-fault.ts';

const FINE = { isRoot: false, maxUserNamespaces: 1000, isUsernsCloneOff: false, isApparmorRestricted: false };

describe('explainFault', () => {
  it.each([
    [{ isRoot: true }, 'CAP_SYS_ADMIN'],
    [{ maxUserNamespaces: 0 }, 'user.max_user_namespaces'],
    [{ isUsernsCloneOff: true }, 'kernel.unprivileged_userns_clone'],
    [{ isApparmorRestricted: true }, 'AppArmor'],
  ])('of %j names what to change', (facts, text) =>
    expect(explainFault({ ...FINE, ...facts })).toContain(text),
  );

  it.each([{}, { maxUserNamespaces: null }])('says nothing where %j explains nothing', (facts) =>
    expect(explainFault({ ...FINE, ...facts })).toBeNull(),
  );
});
