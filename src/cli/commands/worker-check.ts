// swarmctl worker-check: does a worker keep the promises of docs/worker-contract.md?
import type { PodOptions } from '../../conformance/pod.ts';
import {
  hasBroken,
  type Judged,
  Ledger,
  lineOf,
  type OnProgress,
  type RowSoFar,
  textOf,
} from '../../conformance/promises.ts';
import type { RunOptions } from '../../conformance/run.ts';
import { type Command, CommandError, command, exitCodes } from '../arguments/command.ts';
import type { Terminal } from '../arguments/terminal.ts';
import { untilInterrupted } from '../cluster/changes.ts';
import type { Line, TextStyle } from '../render.ts';

const seconds = { type: 'number', value: 'SECONDS', least: 0.1, most: 600 } as const;

export const workerCheck: Command = command(
  {
    name: 'worker-check',
    summary: 'test a worker against every promise of the worker contract',
    operands: { usage: '[URL | [NAMESPACE/]POD]', least: 0, most: 1 },
    about: `Prints a line for each promise: kept, broken (expected …; got …) or not tried (why). Until the end it shows which promise it tries: on a
terminal in the list itself, elsewhere by a line for each on standard error.

With --run it starts the worker itself, with a folder in place of the mounted ConfigMap, changes the assignment, and observes what the
worker reports and does. Each stream has the parameter \`url\`: a source on this machine, which records its readers. If the worker reads
from it, the check sees what the worker really consumes; otherwise it can only use the worker's reports. The worker gets its settings by
environment variables: SWARM_CONFIG_FILE, SWARM_PORT, POD_NAME, POD_UID, POD_IP, and with --exclusive SWARM_ASSIGNED_FILE.

With a URL or a pod it tests only what needs no change of the assignment. It reaches a pod through the API server (needs the permission
get pods/proxy), or at the pod's address.

Exit codes: 0 no promise is broken, 1 a promise is broken, 2 wrong command line.`,
    examples: [
      [
        "swarmctl worker-check --run 'python3 worker.py'",
        'test every promise, by running the worker here',
      ],
      [
        "swarmctl worker-check --exclusive --run 'swarm-worker -- node reader.mjs {param.url}' --source http",
        'test what handoff Exclusive needs too',
      ],
      ['swarmctl worker-check http://10.0.0.7:9090', 'a worker that is already running'],
      ['swarmctl worker-check swarm/swarm-worker-0', 'a pod of the current cluster'],
    ],
    flags: {
      run: {
        type: 'text',
        value: 'COMMAND',
        help: 'start the worker with this shell command, and test every promise',
      },
      exclusive: {
        type: 'switch',
        needs: 'run',
        help: 'also test the promise that handoff Exclusive needs',
      },
      source: {
        type: 'choice',
        among: ['tcp', 'http'],
        needs: 'run',
        help: 'the protocol of the sources',
      },
      patience: {
        ...seconds,
        fallback: 10,
        needs: 'run',
        help: 'time limit for each reaction, once the worker listens',
      },
      quiet: {
        ...seconds,
        fallback: 3,
        needs: 'run',
        help: 'how long to check that nothing happens; longer than the poll interval of the worker',
      },
      grace: {
        ...seconds,
        fallback: 30,
        most: 3600,
        needs: 'run',
        help: "the pod's termination grace period",
      },
      kubeconfig: {
        type: 'text',
        value: 'FILE',
        help: 'for a pod: the kubeconfig file; default: KUBECONFIG or ~/.kube/config',
      },
      context: {
        type: 'text',
        value: 'NAME',
        help: 'for a pod: the kubeconfig context; default: the current one',
      },
      namespace: { type: 'text', value: 'NAME', short: 'n', help: "the pod's namespace" },
      port: {
        type: 'number',
        value: 'PORT',
        fallback: 9090,
        least: 1,
        most: 65_535,
        help: 'for a pod: the port of its reports',
      },
      output: {
        type: 'choice',
        among: ['text', 'json'],
        short: 'o',
        help: 'output format',
      },
    },
  },
  async ({ values, operands: [target = ''] }, terminal) => {
    const { run: toRun, exclusive, source, patience, quiet, grace } = values;
    if ((toRun === undefined) === (target === ''))
      throw new CommandError('expected either --run COMMAND, or a URL, or a pod');
    const { onProgress, end } = progressOn(terminal, values.output === 'text');
    const judged =
      toRun === undefined
        ? await probed(target, values, onProgress)
        : await run({
            command: toRun,
            scheme: source,
            isExclusive: exclusive,
            patienceMs: patience * 1000,
            quietMs: quiet * 1000,
            graceMs: grace * 1000,
            onProgress,
          });
    end();
    terminal.out(values.output === 'json' ? JSON.stringify(judged, undefined, 2) : textOf(judged));
    return hasBroken(judged) ? exitCodes.no : exitCodes.ok;
  },
);

type Progress = { readonly onProgress: OnProgress; readonly end: () => void };

function progressOn(terminal: Terminal, isText: boolean): Progress {
  const screen = terminal.screen();
  if (!screen.isLive || !isText)
    return { onProgress: (news) => terminal.note([{ text: lineOf(news) }]), end: () => undefined };
  return {
    onProgress: (_, all) => screen.draw(() => all.map(drawn)),
    end: () => {
      screen.draw(() => []);
      screen.close();
    },
  };
}

const styles: Readonly<Record<RowSoFar['verdict']['is'], TextStyle>> = {
  kept: 'good',
  broken: 'bad',
  'not tried': 'faint',
  trying: 'busy',
  waiting: 'faint',
};

const drawn = (row: RowSoFar): Line => [{ text: lineOf(row), style: styles[row.verdict.is] }];

async function probed(
  target: string,
  options: PodOptions,
  onProgress: OnProgress,
): Promise<readonly Judged[]> {
  const ledger = new Ledger(onProgress);
  ledger.trying('answers');
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
  return ledger.judged('not testable from outside; use --run');
}

async function run(options: Omit<RunOptions, 'signal'>): Promise<readonly Judged[]> {
  const { checkByRunning } = await import('../../conformance/run.ts');
  return untilInterrupted(({ signal }) =>
    checkByRunning({ ...options, signal }).catch((error: unknown) => {
      // The worker has ended; a trial that still goes on must not keep the process.
      if (signal.aborted) process.exit(exitCodes.no);
      throw error;
    }),
  );
}
