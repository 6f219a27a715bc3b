// P12: how long does one pass over the waiting jobs of a namespace take?
import { parseQuantity } from '../../src/core/quantity.ts';
import { admit } from '../../src/queue/admit.ts';
import type { Queue, WaitingJob } from '../../src/queue/world.ts';
import { worldOf } from '../../test/support/namespace-worlds.ts';
import { type Measured, timed } from '../instruments/measure.ts';

const QUEUES = 30;
const JOBS_PER_QUEUE = 500;
const PASS_MS = 20;
const ONE_QUEUE_MS = 2;
/** Sizes and priorities are those of Kueue's baseline: small, medium and large jobs. */
const CLASSES = [
  { size: 1, cpu: '500m', memory: '512Mi', priority: 50 },
  { size: 5, cpu: '1', memory: '1Gi', priority: 100 },
  { size: 20, cpu: '1500m', memory: '2Gi', priority: 200 },
] as const;

const amount = (text: string): bigint => parseQuantity(text) ?? 0n;

const queues: readonly Queue[] = Array.from({ length: QUEUES }, (_, at) => ({
  name: `queue-${at}`,
  quota: new Map([
    ['pods', amount('100')],
    ['cpu', amount('64')],
    ['memory', amount('128Gi')],
  ]),
  strategy: at % 2 === 0 ? 'BestEffort' : 'StrictFIFO',
  maxPriority: 1000,
  maxDeadlineSeconds: undefined,
  isPaused: false,
  preempts: false,
}));

function jobOf(at: number): WaitingJob {
  const { size, cpu, memory, priority } = CLASSES[at % CLASSES.length] ?? CLASSES[0];
  return {
    uid: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
    name: `job-${at}`,
    queue: `queue-${at % QUEUES}`,
    createdMs: at * 100,
    priority,
    size,
    perPod: new Map([
      ['cpu', amount(cpu)],
      ['memory', amount(memory)],
    ]),
    claims: [],
    charges: new Map(),
    missing: [],
    deadlineSeconds: undefined,
    backsOffForMs: 0,
    endsInMs: 35_000,
    entryBytes: 200,
  };
}

export function benchAdmission(): readonly Measured[] {
  const jobs = Array.from({ length: QUEUES * JOBS_PER_QUEUE }, (_, at) => jobOf(at));
  const whole = timed(31, () => admit(worldOf(queues, jobs)));
  const one = jobs.filter(({ queue }) => queue === 'queue-0');
  const changed = timed(31, () => admit(worldOf(queues, one)));
  return [
    row(
      `a pass over ${jobs.length.toLocaleString('en')} waiting jobs in ${QUEUES} queues`,
      whole.ms,
      PASS_MS,
    ),
    row(
      `a pass over the ${JOBS_PER_QUEUE} jobs of one queue, of which one has changed`,
      changed.ms,
      ONE_QUEUE_MS,
    ),
  ];
}

const row = (what: string, ms: number, most: number): Measured => ({
  name: `P12 ${what}`,
  value: `${ms.toFixed(1)} ms`,
  target: `${most} ms`,
  isReached: ms <= most,
});
