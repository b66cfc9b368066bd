/** Serves a fake API server until standard input ends; its kubeconfig is the first line of standard output. */
import { createFakeApiServer, hostRuns } from '@omnigent/testkit';

/** Between two states of a Pod. */
const STEP_MS = 5;

const api = await createFakeApiServer({ script: hostRuns({ stepMs: STEP_MS }) });
process.stdout.write(`${api.kubeconfig}\n`);
process.stdin.resume().on('end', () => void api.close());
