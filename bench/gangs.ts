// P12: how long do the ranks of a gang wait for each other, and how often is something written in
// its life? On the local Kubernetes: its ranks are processes.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { operatorWrites } from '../test/integration/support/audit.ts';
import { makeJob, makeQueue } from '../test/integration/support/job.ts';
import { Swarm } from '../test/integration/support/swarm.ts';
import { type Measured, quantile } from './instruments/measure.ts';

const MANY = 200;
const FEW = { ranks: 4, times: 20 };
const MOST_SECONDS = 3;
/** Besides one a rank, events aside. */
const MOST_WRITES = 11;
const START_SECONDS = 600;

/** In seconds since this machine was started. */
type Begun = { readonly startedAt: number; readonly begunAt: number };

/** The process of the start script becomes that of the command. */
const notes = (folder: string): readonly string[] => [
  'sh',
  '-c',
  `echo "$(cut -d' ' -f22 /proc/$$/stat) $(cut -d' ' -f1 /proc/uptime)" >${folder}/$SWARM_RANK`,
];

export async function benchGangs(): Promise<readonly Measured[]> {
  const swarm = await Swarm.start({ controlPlane: { audit: true }, node: { maxPods: MANY + 10 } });
  try {
    await swarm.operator('--leader-election', 'false', '--kinds', 'queues,jobs');
    const runs: (readonly Begun[])[] = [];
    let writes: readonly string[] = [];
    for (let time = 0; time < FEW.times; time += 1) {
      const namespace = `few-${time}`;
      runs.push(await begunIn(swarm, namespace, FEW.ranks));
      writes = operatorWrites(swarm.audit, namespace).filter((it) => it !== 'events');
    }
    const many = await begunIn(swarm, 'many', MANY);
    const least = MOST_WRITES + FEW.ranks;
    return [
      waits(`${FEW.ranks} ranks, ${FEW.times} times`, runs),
      waits(`${MANY} ranks`, [many], MOST_SECONDS),
      {
        name: `P12 writes in the life of a gang of ${FEW.ranks}, events aside`,
        value: String(writes.length),
        target: `<= ${least}`,
        isReached: writes.length <= least,
        note: countsOf(writes),
      },
    ];
  } finally {
    await swarm.stop();
  }
}

async function begunIn(swarm: Swarm, namespace: string, size: number): Promise<readonly Begun[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'swarm-gang-'));
  try {
    await makeQueue(swarm, namespace, { pods: String(size) });
    const launcher = { start: 'Together' };
    const spec = { size, launcher, command: notes(folder), startTimeoutSeconds: START_SECONDS };
    const job = await makeJob(swarm, namespace, 'gang', spec);
    await job.kubectl('wait', '--for=condition=Finished', 'swarmjob/gang', '--timeout=900s');
    await job.isGivenBack();
    const files = readdirSync(folder);
    if (files.length !== size) throw new Error(`${files.length} of ${size} ranks have run`);
    return files.map((file) => {
      const [ticks, begunAt] = readFileSync(path.join(folder, file), 'utf8').split(' ').map(Number);
      return { startedAt: (ticks ?? 0) / 100, begunAt: begunAt ?? 0 };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function waits(what: string, runs: readonly (readonly Begun[])[], most?: number): Measured {
  const last = (all: readonly number[]): number => Math.max(...all);
  const seconds = runs.map(
    (run) => last(run.map((it) => it.begunAt)) - last(run.map((it) => it.startedAt)),
  );
  const apart = runs.map((run) => {
    const begun = run.map((it) => it.begunAt);
    return last(begun) - Math.min(...begun);
  });
  const worst = quantile(seconds, 0.99);
  return {
    name: `P12 ${what}: the last container has started -> all ranks have begun`,
    value: `${worst.toFixed(2)} s`,
    ...(most !== undefined && { target: `<= ${most} s`, isReached: worst <= most }),
    note: `median ${quantile(seconds, 0.5).toFixed(2)} s; they begin within ${last(apart).toFixed(2)} s`,
  };
}

const countsOf = (writes: readonly string[]): string =>
  [...Map.groupBy(writes, (it) => it)].map(([what, all]) => `${all.length} ${what}`).join(', ');
