/** The settings that the guides show are settings, and the objects that they name exist. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createLauncher } from '@omnigent/launcher';
import { systemClock, systemRandomBytes } from '@omnigent/protocol';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const blockSchema = z.object({ sandbox: z.strictObject({ kubernetes: z.record(z.string(), z.unknown()) }) });

/** The blocks of YAML in a text that configure the provider. */
function listSections(text: string): Record<string, unknown>[] {
  const blocks = [...text.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, block = '']) => block);
  return blocks.flatMap((block) => {
    const parsed = blockSchema.safeParse(parse(block));
    return parsed.success ? [parsed.data.sandbox.kubernetes] : [];
  });
}

async function load(config: Record<string, unknown>): Promise<void> {
  const launcher = await createLauncher({
    provider: 'kubernetes',
    config,
    environment: {},
    instance: 'guides',
    stateDirectory: '/nonexistent',
    nodePath: '',
    hostBundle: '',
    clock: systemClock,
    randomBytes: systemRandomBytes,
  });
  launcher.validate({ repositories: [], env: {} });
  await launcher.close();
}

describe.each([
  ['docs/guides/kubernetes.md', 5],
  ['deploy/README.md', 2],
])('%s', (file, atLeast) => {
  it('shows settings that are settings', async () => {
    const sections = listSections(await readFile(`${ROOT}/${file}`, 'utf8'));
    expect(sections.length).toBeGreaterThanOrEqual(atLeast);
    for (const section of sections) await expect(load(section)).resolves.toBeUndefined();
  });

  it('names folders that exist', async () => {
    const text = await readFile(`${ROOT}/${file}`, 'utf8');
    const folders = new Set(text.match(/\bdeploy\/kubernetes\/overlays\/[a-z-]+/g));
    expect(folders.size).toBeGreaterThan(0);
    for (const folder of folders)
      await expect(readFile(`${ROOT}/${folder}/kustomization.yaml`, 'utf8')).resolves.toContain(
        'kind: Kustomization',
      );
  });
});
