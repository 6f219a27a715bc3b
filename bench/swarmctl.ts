// P20: how long does a user of swarmctl wait for an answer, beside a user of kubectl? The program
// is built as it is published.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bin, root, run } from '../scripts/run.ts';
import { makePool } from '../test/integration/support/pool.ts';
import { Swarm } from '../test/integration/support/swarm.ts';
import { type Measured, quantile, secondsSince } from './instruments/measure.ts';

const RUNS = 20;
const NAMESPACE = 'tv';
const TARGET_SECONDS = 0.25;

/** Each with the command of kubectl that reads the same objects. */
const commands: readonly (readonly [swarmctl: readonly string[], kubectl: readonly string[]])[] = [
  [['status'], ['get', 'swarmpools']],
  [
    ['streams', 'tv'],
    ['get', 'swarmpool', 'tv', '-o', 'yaml'],
  ],
  [
    ['job', 'list'],
    ['get', 'swarmjobs'],
  ],
];

type Cost = { readonly seconds: number; readonly processorSeconds: number };

export async function benchSwarmctl(): Promise<readonly Measured[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'swarm-swarmctl-'));
  const dist = path.join(folder, 'dist');
  cpSync(`${root}package.json`, path.join(folder, 'package.json'));
  run('build', 'node', [`${root}scripts/build.ts`, dist]);
  const swarm = await Swarm.start({ keepsAudit: false, controlPlane: {} });
  try {
    await makePool(swarm, NAMESPACE, { streams: ['a', 'b'], workers: 0 });
    const { kubeconfig, binaries } = swarm.playground.plane;
    const env = { ...process.env, KUBECONFIG: kubeconfig, XDG_CACHE_HOME: folder };
    const program = path.join(dist, 'cli', 'swarmctl.js');
    const rows: Measured[] = [];
    for (const [words, its] of commands) {
      const cost = medianOf(bin('node'), [program, ...words, '-n', NAMESPACE], env);
      const beside = medianOf(binaries.kubectl, [...its, '-n', NAMESPACE], env);
      rows.push({
        name: `P20 swarmctl ${words.join(' ')}`,
        value: text(cost),
        target: `<= ${TARGET_SECONDS} s`,
        isReached: cost.seconds <= TARGET_SECONDS,
        note: `kubectl ${its.join(' ')}: ${text(beside)}; medians of ${RUNS}`,
      });
    }
    return rows;
  } finally {
    await swarm.stop();
    rmSync(folder, { recursive: true });
  }
}

const text = ({ seconds, processorSeconds }: Cost): string =>
  `${seconds.toFixed(2)} s, ${processorSeconds.toFixed(2)} s of processor time`;

/** The first run fills the caches. */
function medianOf(file: string, args: readonly string[], env: NodeJS.ProcessEnv): Cost {
  costOf(file, args, env);
  const costs = Array.from({ length: RUNS }, () => costOf(file, args, env));
  const median = (part: keyof Cost): number =>
    quantile(
      costs.map((cost) => cost[part]),
      0.5,
    );
  return { seconds: median('seconds'), processorSeconds: median('processorSeconds') };
}

/** A shell knows the processor time of its children; Node does not. */
const MEASURE = '"$@" >/dev/null; code=$?; times; exit $code';

function costOf(file: string, args: readonly string[], env: NodeJS.ProcessEnv): Cost {
  const start = performance.now();
  const { status, stdout, stderr } = spawnSync('sh', ['-c', MEASURE, 'sh', file, ...args], {
    env,
    encoding: 'utf8',
  });
  const seconds = secondsSince(start);
  // 1: the pool has a problem, since it has no workers.
  if (status === null || status > 1)
    throw new Error(`${file} ${args.join(' ')} exits with ${status}: ${stderr}`);
  const [ofChildren = ''] = stdout.trim().split('\n').slice(-1);
  const times = [...ofChildren.matchAll(/(\d+)m([\d.]+)s/g)];
  const processorSeconds = times.reduce(
    (sum, [, minutes, rest]) => sum + Number(minutes) * 60 + Number(rest),
    0,
  );
  return { seconds, processorSeconds };
}
