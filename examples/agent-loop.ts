/**
 * `node agent-loop.ts`: the loop of an agent that programs. It acts in a sandbox, reads what came of it, and decides what is next, for a
 * limited number of steps. A call of a model belongs in the place of {@link decide}; the rest stays as it is.
 */
import type { SandboxHandle } from '@omnigent/client';
import { connect } from './connect.ts';

type Action =
  | { readonly do: 'write'; readonly path: string; readonly text: string }
  | { readonly do: 'run'; readonly command: string }
  | { readonly do: 'answer'; readonly text: string };

/** What an action led to, in words for the model. */
interface Step {
  readonly action: Action;
  readonly outcome: string;
}

const TEST = 'from add import add\nassert add(2, 3) == 5, f"add(2, 3) is {add(2, 3)}"\nprint("ok")\n';
const MAX_STEPS = 10;

/** Stands for a model: writes a first try, runs the test, and corrects what the test complains of. */
function decide(steps: readonly Step[]): Action {
  const last = steps.at(-1);
  if (last === undefined) return { do: 'write', path: 'add.py', text: 'def add(a, b):\n    return a - b\n' };
  if (last.action.do === 'write') return { do: 'run', command: 'python3 -B test.py' };
  if (last.outcome.includes('add(2, 3) is -1'))
    return { do: 'write', path: 'add.py', text: 'def add(a, b):\n    return a + b\n' };
  return { do: 'answer', text: `done after ${steps.length} steps: ${last.outcome}` };
}

async function act(sandbox: SandboxHandle, action: Exclude<Action, { do: 'answer' }>): Promise<string> {
  if (action.do === 'write') {
    await sandbox.files.write(action.path, action.text);
    return 'written';
  }
  // Whatever a model comes up with: it harms nothing but the sandbox, and not for long.
  const { exitCode, stdout, stderr } = await sandbox.exec(action.command, { timeoutSeconds: 60 });
  return `exit status ${exitCode}: ${(stdout + stderr).trim().split('\n').at(-1) ?? ''}`;
}

await using sandbox = await connect(process.env).launch({ lifetime_seconds: 600 });
await sandbox.files.write('test.py', TEST);
const steps: Step[] = [];
for (let action = decide(steps); action.do !== 'answer'; action = decide(steps)) {
  if (steps.length === MAX_STEPS) throw new Error(`expected an answer within ${MAX_STEPS} steps`);
  const outcome = await act(sandbox, action);
  console.log(`${action.do === 'run' ? action.command : `write ${action.path}`}: ${outcome}`);
  steps.push({ action, outcome });
}
const final = decide(steps);
if (final.do === 'answer') console.log(final.text);
