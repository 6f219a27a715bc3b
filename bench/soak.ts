// Does anything grow in an operator after hours of faults and changes? Its heap, its descriptors,
// the duration of a change.
import { readdirSync } from 'node:fs';
import { loadavg } from 'node:os';
import { Audit } from '../test/faults/audit.ts';
import { Cell } from '../test/faults/cell.ts';
import { answersLost, conflicts, refused } from '../test/faults/faults/answers.ts';
import {
  annotationsEdited,
  configMapDeleted,
  configMapEdited,
  workerKilled,
} from '../test/faults/faults/by-hand.ts';
import { restarted } from '../test/faults/faults/cluster.ts';
import type { Fault } from '../test/faults/faults/fault.ts';
import { expired, halfOpen, malformed, missed } from '../test/faults/faults/watches.ts';
import { names } from '../test/integration/support/shape.ts';
import { Swarm } from '../test/integration/support/swarm.ts';
import { slopeOf } from './instruments/fit.ts';
import { Inspector, inspectable } from './instruments/inspector.ts';
import { type Measured, quantile, secondsSince } from './instruments/measure.ts';
import { draw } from './plot/file.ts';

const WORKERS = 5;
const STREAMS = 15;
const CALM_CHANGES = 5;
const CONVERGED_SECONDS = 90;
/** Growth right after the start does not count. */
const WARM_PART = 1 / 6;

const faults: Readonly<Record<string, Fault>> = {
  'writes refused': refused(2),
  'responses lost': answersLost('configmaps', 'pods/status'),
  'watches silent': halfOpen,
  'worker killed': workerKilled('worker-0'),
  'watches expired': expired(3),
  conflicts: conflicts(3),
  'ConfigMap deleted': configMapDeleted,
  'API server killed': restarted('apiServer'),
  'lines malformed': malformed(1),
  'ConfigMap edited': configMapEdited,
  'events missed': missed,
  'annotations edited': annotationsEdited,
  'etcd killed': restarted('etcd'),
};

type Sample = {
  readonly minutes: number;
  readonly heapMiB: number;
  readonly residentMiB: number;
  readonly descriptors: number;
  /** The median of the changes between two faults. */
  readonly changeSeconds: number;
};

export async function benchSoak(minutes: number): Promise<readonly Measured[]> {
  const swarm = await Swarm.start({
    keepsAudit: false,
    controlPlane: { audit: true },
    node: { configMapPeriodMs: 60_000 },
  });
  const cell = new Cell(
    { swarm, audit: new Audit(swarm.playground.plane.auditLog ?? '') },
    'soak',
    'AtLeastOnce',
  );
  try {
    await cell.createNamespace();
    const { process } = await cell.addReplica({ isElected: true, environment: inspectable() });
    await cell.create({ streams: names(STREAMS), workers: WORKERS });
    await cell.pool.converged(names(STREAMS), WORKERS, CONVERGED_SECONDS);
    const soak = new Soak(cell, await Inspector.attach(process), process.pid);
    await soak.run(minutes);
    return soak.rows();
  } finally {
    await cell.close();
    await swarm.stop();
  }
}

class Soak {
  readonly #cell: Cell;
  readonly #inspector: Inspector;
  readonly #pid: number;
  readonly #samples: Sample[] = [];
  readonly #seconds: number[] = [];
  readonly #load: number[] = [];
  readonly #problems: string[] = [];
  #faults = 0;
  #changes = 0;

  constructor(cell: Cell, inspector: Inspector, pid: number) {
    this.#cell = cell;
    this.#inspector = inspector;
    this.#pid = pid;
  }

  async run(minutes: number): Promise<void> {
    const start = performance.now();
    const all = Object.entries(faults);
    for (let round = 0; secondsSince(start) < 60 * minutes; round += 1) {
      const [name, fault] = all[round % all.length] ?? [];
      if (name === undefined || fault === undefined) return;
      const calm: number[] = [];
      try {
        await this.#inject(fault);
        for (let change = 0; change < CALM_CHANGES; change += 1) calm.push(await this.#change());
      } catch (error) {
        // Reported at the end; the run goes on, since what follows is worth seeing.
        this.#problems.push(`${name}: ${String(error).slice(0, 500)}`);
        console.log(`${name}: ${String(error)}`);
      }
      this.#cell.proxy.heal();
      if (calm.length === 0) continue;
      this.#seconds.push(...calm);
      this.#load.push(loadavg()[0] ?? 0);
      const { heapMiB, residentMiB } = await this.#inspector.memory();
      const descriptors = readdirSync(`/proc/${this.#pid}/fd`).length;
      const sample = {
        minutes: secondsSince(start) / 60,
        heapMiB,
        residentMiB,
        descriptors,
        changeSeconds: quantile(calm, 0.5),
      };
      this.#samples.push(sample);
      console.log(
        `${sample.minutes.toFixed(1)} min, ${name}: ${heapMiB.toFixed(1)} MiB heap, ${residentMiB.toFixed(0)} MiB, ${descriptors} descriptors, ${sample.changeSeconds.toFixed(2)} s a change`,
      );
    }
  }

  rows(): readonly Measured[] {
    this.#draw();
    const { length } = this.#samples;
    const warm = this.#samples.slice(Math.floor(length * WARM_PART));
    const grown = (
      what: string,
      unit: string,
      digits: number,
      pick: (sample: Sample) => number,
    ): Measured => {
      const { perHour, error, mean } = slopeOf(
        warm.map((sample) => [sample.minutes / 60, pick(sample)]),
      );
      return {
        name: `soak: ${what}`,
        value: `${mean.toFixed(digits)} ${unit}, ${perHour >= 0 ? '+' : ''}${perHour.toFixed(digits)} an hour (± ${error.toFixed(digits)})`,
        target: 'flat',
        isReached: perHour <= Math.max(error, 0.02 * mean),
      };
    };
    const last = this.#samples.at(-1)?.minutes ?? 0;
    return [
      {
        name: `soak of ${last.toFixed(0)} minutes`,
        value: `${this.#faults} faults, ${this.#changes} changes`,
        isReached: this.#problems.length === 0,
        target: 'all is healthy after each',
        note: `${this.#problems.length === 0 ? '' : `${this.#problems.join('; ')}; `}load ${quantile(this.#load, 0.5).toFixed(1)} (median)`,
      },
      grown('heap after a collection', 'MiB', 2, ({ heapMiB }) => heapMiB),
      grown('resident memory', 'MiB', 1, ({ residentMiB }) => residentMiB),
      grown('descriptors', '', 1, ({ descriptors }) => descriptors),
      grown('a change, until all have confirmed', 's', 2, ({ changeSeconds }) => changeSeconds),
      {
        name: 'soak: changes between faults',
        value: `median ${quantile(this.#seconds, 0.5).toFixed(2)} s, p99 ${quantile(this.#seconds, 0.99).toFixed(2)} s`,
      },
    ];
  }

  /** All slices change during the fault; then the pool must become healthy. */
  async #inject(fault: Fault): Promise<void> {
    const streams = this.#next();
    const act = async () => {
      await this.#cell.pool.streams(streams);
      return { streams, workers: WORKERS, kept: [] };
    };
    await fault.inject(this.#cell, act);
    this.#cell.proxy.heal();
    await this.#cell.pool.converged(streams, WORKERS, CONVERGED_SECONDS);
    this.#faults += 1;
  }

  async #change(): Promise<number> {
    const { pool } = this.#cell;
    const { version = 0 } = (await pool.status()) ?? {};
    const start = performance.now();
    await pool.streams(this.#next());
    await pool.until(
      'confirms',
      (status) => (status.version ?? 0) > version && status.convergedReplicas === WORKERS,
      CONVERGED_SECONDS,
    );
    return secondsSince(start);
  }

  #next(): readonly string[] {
    this.#changes += 1;
    return names(STREAMS, `c${this.#changes}-`);
  }

  #draw(): void {
    const plot = (title: string, label: string, pick: (sample: Sample) => number) => ({
      title,
      x: { label: 'minutes', scale: 'linear' as const },
      y: { label, scale: 'linear' as const },
      series: [
        {
          name: title,
          points: this.#samples.map((sample) => [sample.minutes, pick(sample)] as const),
        },
      ],
    });
    draw('soak', [
      plot('Heap after a collection', 'MiB', ({ heapMiB }) => heapMiB),
      plot('Resident memory', 'MiB', ({ residentMiB }) => residentMiB),
      plot('Descriptors', 'open', ({ descriptors }) => descriptors),
      plot('A change, until all have confirmed', 'seconds', ({ changeSeconds }) => changeSeconds),
    ]);
  }
}
