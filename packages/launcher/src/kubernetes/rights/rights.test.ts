import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { RIGHTS } from './rights.ts';

const OVERLAY = new URL('../../../../../deploy/kubernetes/overlays/sandbox-runners/', import.meta.url);

describe('RIGHTS', () => {
  it('are exactly the rules of the Role in the overlay', () => {
    const text = readFileSync(new URL('sandbox-manager-role.yaml', OVERLAY), 'utf8');
    const [role] = parseAllDocuments(text).map(
      (document) =>
        document.toJS() as {
          kind: string;
          rules: { apiGroups: string[]; resources: string[]; verbs: string[] }[];
        },
    );
    expect(role?.kind).toBe('Role');
    expect(role?.rules).toEqual(
      RIGHTS.map(({ apiGroup, resource, verbs }) => ({
        apiGroups: [apiGroup],
        resources: [resource],
        verbs: [...verbs],
      })),
    );
  });
});
