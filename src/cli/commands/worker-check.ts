// swarmctl worker-check: does a worker keep the promises of docs/worker-contract.md?

import { askAt } from '../../conformance/ask.ts';
import { observe } from '../../conformance/observe.ts';
import { hasBroken, type Judged, Ledger, textOf } from '../../conformance/promises.ts';
import { checkByRunning } from '../../conformance/run.ts';
import { type Command, command, exitCodes } from '../arguments/command.ts';

const onlySeen = 'seen from outside only: --run tries it';

export const workerCheck: Command = command(
  {
    name: 'worker-check',
    summary: 'tries a worker against every promise of the contract',
    operands: { usage: '[URL | [NAMESPACE/]POD]', least: 0, most: 1 },
    about: `Prints a line for each promise: kept, broken (expected …; got …) or not tried (why).

With --run it starts the worker itself, with a folder in place of the mounted ConfigMap, changes what is assigned, and watches what
the worker says and does. Each stream has the parameter \`url\`: a source on this machine, which sees who reads from it. A worker that
reads it shows what it really consumes; one that does not is judged by its words alone. The worker finds its settings in its
environment: SWARM_CONFIG_FILE, SWARM_PORT, POD_NAME, POD_UID, POD_IP, and with --exclusive SWARM_ASSIGNED_FILE.

Of a URL or a pod it sees what can be seen without moving anything. A pod is asked through the API server (right: get pods/proxy),
or at its own address.

Exit codes: 0 no promise is broken, 1 one is, 2 the command line is wrong.`,
    examples: [
      [
        "swarmctl worker-check --run 'python3 worker.py'",
        'every promise, by running the worker here',
      ],
      [
        "swarmctl worker-check --exclusive --run 'swarm-worker -- curl -sN {param.url}' --source http",
        'what handoff Exclusive needs, too',
      ],
      ['swarmctl worker-check http://10.0.0.7:9090', 'a worker that runs somewhere'],
      ['swarmctl worker-check swarm/swarm-worker-0', 'a pod of the current cluster'],
    ],
    flags: {
      run: { type: 'text', value: 'COMMAND', help: 'start this by sh, and try every promise' },
      exclusive: {
        type: 'switch',
        help: 'with --run: the promise that handoff Exclusive needs, too',
      },
      source: { type: 'choice', among: ['tcp', 'http'], help: 'with --run: what sources speak' },
      patience: {
        type: 'number',
        value: 'SECONDS',
        fallback: 10,
        least: 0.1,
        most: 600,
        help: 'with --run: how long anything may take once it listens',
      },
      quiet: {
        type: 'number',
        value: 'SECONDS',
        fallback: 3,
        least: 0.1,
        most: 600,
        help: 'with --run: how long to watch that nothing happens; longer than the worker polls',
      },
      grace: {
        type: 'number',
        value: 'SECONDS',
        fallback: 30,
        least: 0.1,
        most: 3600,
        help: "with --run: the pod's grace period",
      },
      kubeconfig: {
        type: 'text',
        value: 'FILE',
        help: 'of a pod: the cluster; left out: KUBECONFIG or ~/.kube/config',
      },
      context: { type: 'text', value: 'NAME', help: 'its context' },
      namespace: { type: 'text', value: 'NAME', short: 'n', help: "the pod's namespace" },
      port: {
        type: 'number',
        value: 'PORT',
        fallback: 9090,
        least: 1,
        most: 65_535,
        help: 'of a pod: where it answers',
      },
      output: { type: 'choice', among: ['text', 'json'], short: 'o', help: 'how it is told' },
    },
  },
  async ({ values, operands: [target] }, { out, problem }) => {
    if ((values.run === undefined) === (target === undefined)) {
      problem('either --run COMMAND or one URL or pod is expected');
      return exitCodes.usage;
    }
    const judged =
      values.run === undefined ? await seen(target ?? '', values) : await run(values.run, values);
    if (typeof judged === 'string') {
      problem(judged);
      return exitCodes.usage;
    }
    out(values.output === 'json' ? JSON.stringify(judged, undefined, 2) : textOf(judged));
    return hasBroken(judged) ? exitCodes.no : exitCodes.ok;
  },
);

type Where = {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly namespace: string | undefined;
  readonly port: number;
};

/** A text: why nobody can be asked. */
async function seen(target: string, where: Where): Promise<readonly Judged[] | string> {
  const ledger = new Ledger();
  if (/^https?:\/\//.test(target)) {
    await observe(askAt(target), ledger);
    return ledger.judged(onlySeen);
  }
  const { findPod } = await import('../../conformance/pod.ts');
  const pod = await findPod(target, where);
  if (typeof pod === 'string') return pod;
  await observe(pod.ask, ledger, pod.uid);
  return ledger.judged(onlySeen);
}

type Times = {
  readonly patience: number;
  readonly quiet: number;
  readonly grace: number;
  readonly exclusive: boolean;
  readonly source: string;
};

async function run(
  command: string,
  { patience, quiet, grace, exclusive, source }: Times,
): Promise<readonly Judged[]> {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => interrupted.abort());
  const judged = checkByRunning({
    command,
    scheme: source === 'http' ? 'http' : 'tcp',
    isExclusive: exclusive,
    patienceMs: patience * 1000,
    quietMs: quiet * 1000,
    graceMs: grace * 1000,
    signal: interrupted.signal,
  });
  return judged.catch((error: unknown) => {
    // What is still being tried must not keep it: the worker has ended.
    if (interrupted.signal.aborted) process.exit(exitCodes.no);
    throw error;
  });
}
