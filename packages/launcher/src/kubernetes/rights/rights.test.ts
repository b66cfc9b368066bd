import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { RIGHTS } from './rights.ts';

const DEPLOY = new URL('../../../../../deploy/', import.meta.url);
const OVERLAY = new URL('kubernetes/overlays/sandbox-runners/', DEPLOY);

const roleSchema = z.object({
  kind: z.literal('Role'),
  rules: z.array(
    z.strictObject({
      apiGroups: z.array(z.string()),
      resources: z.array(z.string()),
      verbs: z.array(z.string()),
    }),
  ),
});

describe('RIGHTS', () => {
  it('are exactly the rules of the Role in the overlay', () => {
    const text = readFileSync(new URL('sandbox-manager-role.yaml', OVERLAY), 'utf8');
    const [document] = parseAllDocuments(text);
    expect(roleSchema.parse(document?.toJS()).rules).toEqual(
      RIGHTS.map(({ apiGroup, resource, verbs }) => ({
        apiGroups: [apiGroup],
        resources: [resource],
        verbs: [...verbs],
      })),
    );
  });

  it('are documented with their reasons, row by row', () => {
    const text = readFileSync(new URL('README.md', DEPLOY), 'utf8');
    const section = text.slice(
      text.indexOf('## Rights of the server'),
      text.indexOf('What it does not have'),
    );
    expect(section.split('\n').filter((line) => line.startsWith('| `'))).toEqual(
      RIGHTS.map(({ resource, verbs, reason }) => `| \`${resource}\` | ${verbs.join(', ')} | ${reason} |`),
    );
  });
});
