/** The contract's subject over the fake API server: an image's name decides what becomes of its Pod. */
import {
  containerWaits,
  createFakeApiServer,
  hostExits,
  hostRuns,
  isRecord,
  neverScheduled,
  readField,
} from '@omnigent/testkit';
import type { FakeApiServer, PodScript } from '@omnigent/testkit';
import { createKubeconfigDirectory } from './kubeconfig-directory.ts';
import type { KubeconfigDirectory } from './kubeconfig-directory.ts';
import type { LaunchSubject } from './launch-subject.ts';

export const FAKE_NAMESPACE = 'contract';

function readImage(pod: unknown): string {
  const containers = readField(pod, ['spec', 'containers']);
  const first: unknown = Array.isArray(containers) ? containers[0] : undefined;
  return isRecord(first) ? String(first['image']) : '';
}

function hasImpossibleSelector(pod: unknown): boolean {
  const selector = readField(pod, ['spec', 'nodeSelector']);
  return isRecord(selector) && Object.keys(selector).some((key) => key.includes('no-such'));
}

/** Lives of Pods by their image. */
const SCRIPTS: Readonly<Record<string, PodScript>> = {
  'registry.test/absent:1': containerWaits({
    reason: 'ErrImageNeverPull',
    message: 'Container image "registry.test/absent:1" is not present with pull policy of Never',
  }),
  'Registry.Test/App::V1': containerWaits({
    reason: 'InvalidImageName',
    message: 'couldn\'t parse image name "Registry.Test/App::V1": invalid reference format',
  }),
  'registry.test/exits:1': hostExits({ exitCode: 1, log: 'cannot reach the server\n' }),
};

/** What a kubelet would do to a Pod of this image. */
export const liveByImage: PodScript = async (control) => {
  const { pod } = control;
  if (hasImpossibleSelector(pod)) return await neverScheduled()(control);
  return await (SCRIPTS[readImage(pod)] ?? hostRuns())(control);
};

/** ServiceAccounts that are not there are refused, as the admission of a real server does. */
function admitServiceAccounts(api: FakeApiServer, names: readonly string[]): void {
  api.admission.push((object, { resource, namespace }) => {
    const name = readField(object, ['spec', 'serviceAccountName']);
    if (resource !== 'pods' || typeof name !== 'string' || names.includes(name)) return null;
    const why = `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`;
    return {
      code: 403,
      reason: 'Forbidden',
      message: `pods "${object.metadata.name}" is forbidden: ${why}`,
      details: { name: object.metadata.name, kind: 'pods' },
    };
  });
}

/** The profile `restricted`, as far as the preflight tries it. */
function admitRestricted(api: FakeApiServer): void {
  api.admission.push((object, { resource }) => {
    if (resource !== 'pods' || readField(object, ['spec', 'hostNetwork']) !== true) return null;
    const { name } = object.metadata;
    return {
      code: 403,
      reason: 'Forbidden',
      message: `pods "${name}" is forbidden: violates PodSecurity "restricted:latest": host namespaces (hostNetwork=true)`,
      details: { name, kind: 'pods' },
    };
  });
}

function admitPods(api: FakeApiServer, count: number): void {
  api.admission.push((object, { resource }) => {
    const used = api.store.list('pods', FAKE_NAMESPACE).length;
    if (resource !== 'pods' || used < count) return null;
    const facts = `exceeded quota: contract, requested: pods=1, used: pods=${used}, limited: pods=${count}`;
    return {
      code: 403,
      reason: 'Forbidden',
      message: `pods "${object.metadata.name}" is forbidden: ${facts}`,
      details: { name: object.metadata.name, kind: 'pods' },
    };
  });
}

export interface FakeLaunches extends LaunchSubject {
  readonly api: FakeApiServer;
}

function listNames(api: FakeApiServer): string[] {
  return ['pods', 'secrets'].flatMap((resource) =>
    api.store.list(resource, FAKE_NAMESPACE).map(({ metadata }) => `${resource}/${metadata.name}`),
  );
}

async function buildSubject(api: FakeApiServer, files: KubeconfigDirectory): Promise<FakeLaunches> {
  const { kubeconfig } = api;
  const powerless = await createFakeApiServer({ namespaces: [FAKE_NAMESPACE] });
  powerless.rights.deny({});
  return {
    api,
    open: (section) => files.open({ kubeconfig, namespace: FAKE_NAMESPACE }, section),
    openPowerless: () => files.open({ kubeconfig: powerless.kubeconfig, namespace: FAKE_NAMESPACE }),
    listObjects: async () => listNames(api),
    limitPods: async (count) => admitPods(api, count),
    async deletePod(name) {
      api.store.remove({ resource: 'pods', namespace: FAKE_NAMESPACE, name });
    },
    async close() {
      await files.close();
      await Promise.all([api.close(), powerless.close()]);
    },
  };
}

/** Starts a fake server whose Pods live by their image. */
export async function openFakeLaunches(): Promise<FakeLaunches> {
  const api = await createFakeApiServer({ namespaces: [FAKE_NAMESPACE], script: liveByImage });
  admitServiceAccounts(api, ['omnigent-runner']);
  admitRestricted(api);
  api.store.put(
    { resource: 'serviceaccounts', namespace: FAKE_NAMESPACE, name: 'omnigent-runner' },
    { metadata: { name: 'omnigent-runner', namespace: FAKE_NAMESPACE } },
  );
  return await buildSubject(api, await createKubeconfigDirectory());
}
