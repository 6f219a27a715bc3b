// Does `job shell` run its command in the rank that is meant, and say why it cannot?
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { jobShell } from '../../../../../src/cli/commands/job/shell.ts';
import { FakeCluster } from '../../fake-cluster.ts';
import {
  admissionOf,
  jobObject,
  podObject,
  runningStatus,
  statusAt,
  waitingStatus,
} from '../../job-object.ts';
import { ran } from '../../ran.ts';

const running = statusAt('Running', 'AllRanksRunning', '2 of 2 ranks run', admissionOf(2));
const starting = statusAt('Starting', 'RanksStarting', '0 of 2 ranks run', admissionOf(2));
const pulling = {
  phase: 'Pending',
  containerStatuses: [
    { name: 'main', state: { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } } },
  ],
};
const over = {
  phase: 'Failed',
  containerStatuses: [{ name: 'main', state: { terminated: { exitCode: 3 } } }],
};

const cluster = new FakeCluster({
  swarmjobs: [
    jobObject({ status: waitingStatus }),
    jobObject({ name: 'run', spec: { launcher: { type: 'Flux' } }, status: running }),
    jobObject({ name: 'gang', spec: { launcher: { type: 'Flux' } }, status: starting }),
    jobObject({ name: 'new', spec: { size: 1 } }),
    jobObject({
      name: 'bad',
      status: statusAt('Failed', 'CommandFailed', 'rank 1 ended with exit code 3'),
    }),
    jobObject({
      name: 'off',
      spec: { suspend: true },
      status: statusAt('Suspended', 'SuspendRequested', 'spec.suspend is set'),
    }),
  ],
  pods: [
    podObject('run', 0, runningStatus),
    podObject('run', 1, runningStatus),
    podObject('gang', 0, runningStatus),
    podObject('gang', 1, pulling),
    podObject('new', 0, over),
  ],
});
beforeAll(() => cluster.start());
afterEach(() => {
  cluster.exec.problem = undefined;
  cluster.forbidden = [];
});
afterAll(() => cluster.stop());

const typed = (...args: readonly string[]) =>
  ran(jobShell, ...args, '--kubeconfig', cluster.kubeconfig);

describe('swarmctl job shell where there is none', () => {
  it.each<[readonly string[], string]>([
    [['rum'], 'there is no SwarmJob rum in namespace swarm; did you mean run?'],
    [['run', '--rank', '2'], '--rank is 2; SwarmJob run has the ranks 0 to 1'],
    [['new', '--rank', '1'], '--rank is 1; SwarmJob new has the rank 0 only'],
    [
      ['lammps'],
      'rank 0 of SwarmJob swarm/lammps has no pod: it is Waiting (WaitingForQuota: needs 2 pods, and less is free); `swarmctl job why lammps` says more',
    ],
    [
      ['off'],
      'rank 0 of SwarmJob swarm/off has no pod: it is Suspended (SuspendRequested: spec.suspend is set); `swarmctl job resume off` queues it again',
    ],
    [
      ['bad'],
      'SwarmJob swarm/bad has ended: it is Failed (CommandFailed: rank 1 ended with exit code 3); `swarmctl job logs bad` shows what its ranks have written',
    ],
    [
      ['gang', '--rank', '1'],
      'rank 1 of SwarmJob swarm/gang does not run yet: pod gang-1-abcde is Pending: container main: ImagePullBackOff: no such image; `swarmctl job why gang` says more',
    ],
    [
      ['new'],
      'rank 0 of SwarmJob swarm/new has ended: pod new-0-abcde is Failed: container main ended with exit code 3; `swarmctl job why new` says more',
    ],
  ])('job shell with %j says why it opens none', async (args, says) =>
    expect(await typed(...args)).toEqual({ code: 2, stdout: '', stderr: `${says}\n` }),
  );
});

const program = fileURLToPath(new URL('../../../../../src/cli/swarmctl.ts', import.meta.url));

/** In a process of its own. `input` undefined: its standard input stays open. */
async function started(input: string | undefined, ...args: readonly string[]) {
  const all = ['--disable-warning=ExperimentalWarning', program, 'job', 'shell', ...args];
  const child = spawn(process.execPath, all, {
    env: { ...process.env, KUBECONFIG: cluster.kubeconfig },
  });
  if (input !== undefined) child.stdin.end(input);
  const code = new Promise((resolve) => child.once('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, stdout, stderr };
}

describe('swarmctl job shell', () => {
  it('job shell ends with the exit code of the command, and keeps its outputs apart', async () => {
    const words = ['sh', '-c', 'echo "$@"; echo err >&2; exit 7', 'sh', '--rank', 'a b'];
    expect(await started('', 'run', '--rank', '1', '--', ...words)).toEqual({
      code: 7,
      stdout: '--rank a b\n',
      stderr: 'err\n',
    });
    expect(cluster.exec.query.get('container')).toBe('main');
  });

  it('job shell ends with its input, and before it where the shell ends', async () => {
    const code = 0;
    expect(await started('echo here', 'run')).toEqual({ code, stdout: 'here\n', stderr: '' });
    expect(await started(undefined, 'run', '--', 'echo', 'here')).toEqual({
      code,
      stdout: 'here\n',
      stderr: '',
    });
  });

  it('job shell opens a shell in a rank that waits for the others, and says so', async () =>
    expect(await started('', 'gang', '--', 'echo', 'here')).toEqual({
      code: 0,
      stdout: 'here\n',
      stderr:
        'not all ranks run yet; `flux` works only in a shell that is opened after all of them run\n',
    }));

  it.each([
    'exec: "/bin/sh": stat /bin/sh: no such file or directory',
    'exec: "/bin/sh": executable file not found in $PATH',
  ])('job shell says that the image has no shell when the runtime reports %s', async (problem) => {
    cluster.exec.problem = problem;
    expect(await started('', 'run')).toEqual({
      code: 2,
      stdout: '',
      stderr: `swarmctl job shell: the image of pod run-0-abcde has no /bin/sh, so that no shell can be opened in it (${problem})\n`,
    });
  });

  it('job shell names the rank and its pod when the runtime reports another problem', async () => {
    cluster.exec.problem = 'container not found ("main")';
    expect(await started('', 'run')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'swarmctl job shell: rank 0, pod run-0-abcde: container not found ("main")\n',
    });
  });
});
