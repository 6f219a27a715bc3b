// swarmctl worker-check: does a worker keep the promises of docs/worker-contract.md?
import type { PodOptions } from '../../conformance/pod.ts';
import { hasBroken, type Judged, Ledger, textOf } from '../../conformance/promises.ts';
import type { RunOptions } from '../../conformance/run.ts';
import { type Command, CommandError, command, exitCodes } from '../arguments/command.ts';
import { untilInterrupted } from '../cluster/changes.ts';

const seconds = { type: 'number', value: 'SECONDS', least: 0.1, most: 600 } as const;

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
        "swarmctl worker-check --exclusive --run 'swarm-worker -- node reader.mjs {param.url}' --source http",
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
        ...seconds,
        fallback: 10,
        help: 'with --run: how long anything may take once it listens',
      },
      quiet: {
        ...seconds,
        fallback: 3,
        help: 'with --run: how long to watch that nothing happens; longer than the worker polls',
      },
      grace: {
        ...seconds,
        fallback: 30,
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
      output: {
        type: 'choice',
        among: ['text', 'json'],
        short: 'o',
        help: 'the form of the output',
      },
    },
  },
  async ({ values, operands: [target = ''] }, { out }) => {
    const { run: toRun, exclusive, source, patience, quiet, grace } = values;
    if ((toRun === undefined) === (target === ''))
      throw new CommandError('either --run COMMAND or one URL or pod is expected');
    const judged =
      toRun === undefined
        ? await probed(target, values)
        : await run({
            command: toRun,
            scheme: source,
            isExclusive: exclusive,
            patienceMs: patience * 1000,
            quietMs: quiet * 1000,
            graceMs: grace * 1000,
          });
    out(values.output === 'json' ? JSON.stringify(judged, undefined, 2) : textOf(judged));
    return hasBroken(judged) ? exitCodes.no : exitCodes.ok;
  },
);

async function probed(target: string, options: PodOptions): Promise<readonly Judged[]> {
  const ledger = new Ledger();
  const { observe } = await import('../../conformance/observe.ts');
  if (/^https?:\/\//.test(target)) {
    const { askAt } = await import('../../conformance/ask.ts');
    await observe(askAt(target), ledger);
  } else {
    const { findPod } = await import('../../conformance/pod.ts');
    const pod = await findPod(target, options);
    if (typeof pod === 'string') throw new CommandError(pod);
    await observe(pod.ask, ledger, pod.uid);
  }
  return ledger.judged('seen from outside only: --run tries it');
}

async function run(options: Omit<RunOptions, 'signal'>): Promise<readonly Judged[]> {
  const { signal } = untilInterrupted();
  const { checkByRunning } = await import('../../conformance/run.ts');
  return checkByRunning({ ...options, signal }).catch((error: unknown) => {
    // The worker has ended; a trial that still goes on must not keep the process.
    if (signal.aborted) process.exit(exitCodes.no);
    throw error;
  });
}
