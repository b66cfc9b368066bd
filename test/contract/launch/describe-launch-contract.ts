/** What launches promise when they cannot work, whatever cluster stands behind them. */
import { LaunchError } from '@omnigent/launcher';
import type { SandboxLauncher } from '@omnigent/launcher';
import type { Diagnosis, Stage } from '@omnigent/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TOKEN, buildRequest } from './launch-subject.ts';
import type { KubernetesSection, LaunchSubject } from './launch-subject.ts';

const signal = AbortSignal.timeout(170_000);

export interface LaunchContractOptions {
  /** Makes a subject with an empty namespace. */
  readonly open: () => Promise<LaunchSubject>;
  /** Why it cannot run here; null where it can. */
  readonly obstacle: string | null;
}

/** Launches what cannot work and returns why not. */
async function launchInVain(launcher: SandboxLauncher): Promise<Diagnosis> {
  const id = await launcher.provision('contract', { signal });
  try {
    await launcher.startHost(id, buildRequest(), { signal, onStage: () => undefined });
  } catch (error) {
    if (error instanceof LaunchError) return error.diagnosis;
    throw error;
  }
  throw new Error('the launch worked');
}

export function describeLaunchContract(name: string, { open, obstacle }: LaunchContractOptions): void {
  describe.skipIf(obstacle !== null)(`launches on ${name} ${obstacle ?? ''}`, () => {
    let subject: LaunchSubject;
    beforeEach(async () => {
      subject = await open();
    });
    afterEach(async () => {
      await subject.close();
    });

    /** Fails, and nothing of the launch is left a moment later. */
    async function failWith(section: KubernetesSection): Promise<Diagnosis> {
      const before = await subject.listObjects();
      const diagnosis = await launchInVain(await subject.open(section));
      await expect.poll(() => subject.listObjects(), { timeout: 30_000 }).toEqual(before);
      expect(JSON.stringify(diagnosis)).not.toContain(TOKEN);
      return diagnosis;
    }

    it('name an image that is not on the node', async () => {
      const diagnosis = await failWith({ image: 'registry.test/absent:1', image_pull_policy: 'Never' });
      expect(diagnosis).toMatchObject({ code: 'image_never_pull', stage: 'pulling', notes: [] });
      expect(diagnosis.message).toContain('registry.test/absent:1');
      expect(diagnosis.containers[0]).toMatchObject({ name: 'host', reason: 'ErrImageNeverPull' });
      expect(diagnosis.events.length).toBeGreaterThan(0);
      expect(diagnosis.advice).toMatch(/kubectl describe pod omnigent-contract-[0-9a-f]{6} -n contract/);
      const stages: Stage[] = diagnosis.stages.map(({ stage }) => stage);
      expect(stages).toEqual(['provisioning', 'scheduling', 'pulling']);
    });

    it('name an image whose name cannot be one', async () => {
      const diagnosis = await failWith({ image: 'Registry.Test/App::V1' });
      expect(diagnosis).toMatchObject({ code: 'image_name_invalid' });
      expect(diagnosis.message).toContain('Registry.Test/App::V1');
    });

    it('say what the scheduler said when no node takes the Pod', async () => {
      const diagnosis = await failWith({
        node_selector: { 'omnigent.ai/no-such': 'node' },
        stage_timeouts: { scheduling: 3 },
      });
      expect(diagnosis).toMatchObject({ code: 'schedule_timeout', stage: 'scheduling' });
      expect(diagnosis.message).toContain('0/1 nodes are available');
    });

    it('name a ServiceAccount that does not exist', async () => {
      const diagnosis = await failWith({ service_account: 'nobody' });
      expect(diagnosis).toMatchObject({ code: 'service_account_not_found', stage: 'provisioning' });
      expect(diagnosis.message).toContain('nobody');
    });

    it('name a namespace that does not exist', async () => {
      const diagnosis = await launchInVain(await subject.open({ namespace: 'contract-not-there' }));
      expect(diagnosis).toMatchObject({ code: 'namespace_not_found', stage: 'provisioning' });
      expect(diagnosis.message).toContain('contract-not-there');
    });

    it('name the right that is missing', async () => {
      const diagnosis = await launchInVain(await subject.openPowerless());
      expect(diagnosis).toMatchObject({ code: 'cluster_forbidden', stage: 'provisioning' });
      expect(diagnosis.message).toContain('lacks the right "create" on "secrets"');
      expect(await subject.listObjects()).toEqual([]);
    });

    it('say what was asked, used and allowed when a quota has no room', async () => {
      await subject.limitPods(0);
      const diagnosis = await failWith({ stage_timeouts: { scheduling: 2 } });
      expect(diagnosis).toMatchObject({ code: 'quota_exceeded' });
      expect(diagnosis.message).toContain('requested pods=1; used pods=0; limited to pods=0');
    });

    it('are cancelled at any time, and leave nothing', async () => {
      const launcher = await subject.open({ node_selector: { 'omnigent.ai/no-such': 'node' } });
      for (const delayMs of [0, 5, 30, 200, 1_000]) {
        const id = await launcher.provision('contract', { signal });
        const controller = new AbortController();
        setTimeout(() => controller.abort(), delayMs);
        const launching = launcher.startHost(id, buildRequest(), {
          signal: controller.signal,
          onStage: () => undefined,
        });
        await expect(launching).rejects.toMatchObject({ code: 'canceled' });
        await launcher.terminate(id, { signal });
      }
      expect(await subject.listObjects()).toEqual([]);
    });

    it('are ended by terminate, also twice and when there was none', async () => {
      const launcher = await subject.open();
      await launcher.terminate('omnigent-contract-000000', { signal });
      await launcher.terminate('omnigent-contract-000000', { signal });
      expect(await launcher.inspect('omnigent-contract-000000', { signal })).toEqual({
        state: 'gone',
        diagnosis: null,
      });
    });

    it('are noticed when another hand deletes their Pod', async () => {
      const launcher = await subject.open({ node_selector: { 'omnigent.ai/no-such': 'node' } });
      const id = await launcher.provision('contract', { signal });
      let isScheduling = false;
      const onStage = (stage: Stage) => (isScheduling ||= stage === 'scheduling');
      const launching = launcher.startHost(id, buildRequest(), { signal, onStage });
      launching.catch(() => undefined);
      await expect.poll(() => isScheduling, { timeout: 20_000 }).toBe(true);
      await subject.deletePod(id);
      await expect(launching).rejects.toMatchObject({ code: 'pod_deleted' });
      await expect.poll(() => subject.listObjects(), { timeout: 30_000 }).toEqual([]);
    });

    it('can be looked at beforehand', async () => {
      const launcher = await subject.open();
      const plan = await launcher.plan(buildRequest(), { signal, dryRun: 'server' });
      expect(plan.manifests.map((manifest) => manifest['kind'])).toEqual(['Secret', 'Pod']);
      expect(JSON.stringify(plan)).not.toContain(Buffer.from(TOKEN).toString('base64'));
      expect(JSON.stringify(plan)).not.toContain(TOKEN);
      expect(plan.changes?.some(({ path }) => path.startsWith('/status'))).toBe(false);
      expect(await subject.listObjects()).toEqual([]);
    });

    it('are checked beforehand: rights, namespace, profile, admission, named Secrets', async () => {
      const launcher = await subject.open({ secret_name: 'no-such-secret' });
      const findings = await launcher.preflight({ signal, deep: false, serverUrl: 'http://server.invalid/' });
      const texts = findings.map(({ severity, code, message }) => `${severity} ${code}: ${message}`);
      expect(texts.filter((text) => text.startsWith('ok right: '))).toHaveLength(10);
      expect(texts).toContainEqual(expect.stringMatching(/^ok namespace: namespace contract\S* exists$/));
      expect(texts).toContainEqual(
        expect.stringMatching(/^ok pod_security: Pod Security "restricted:\S+" is enforced$/),
      );
      expect(texts).toContain('ok service_account: ServiceAccount omnigent-runner exists');
      expect(texts).toContain('ok admission: the cluster would take the Pod of a sandbox');
      expect(texts).toContainEqual(
        expect.stringMatching(
          /^error secret: Secret no-such-secret \(secret_name\) does not exist in namespace/,
        ),
      );
      expect(await subject.listObjects()).toEqual([]);
    });

    it('are checked by somebody without any right', async () => {
      const launcher = await subject.openPowerless();
      const findings = await launcher.preflight({ signal, deep: false, serverUrl: 'http://server.invalid/' });
      const missing = findings.filter(({ code, severity }) => code === 'right' && severity === 'error');
      expect(missing).toHaveLength(10);
      expect(missing[0]?.message).toMatch(/^missing right: create pods in namespace /);
      const others = findings.filter(({ code }) => code === 'namespace' || code === 'service_account');
      expect(others.map(({ severity }) => severity)).toEqual(['unknown', 'unknown']);
      expect(findings.find(({ code }) => code === 'admission')?.severity).toBe('error');
    });
  });
}
