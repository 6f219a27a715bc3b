// Whatever happens to a job, and in whatever order: is there ever more than one attempt, does
// anything run that is not admitted, and does the job come to an end?
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { hasEnded } from '../../../src/api/swarm-job.ts';
import { NOTED_WITHIN_MS, withEndsByPods } from '../../../src/core/batch-ends.ts';
import type { Step } from '../../../src/core/decision.ts';
import { isVoid } from '../../../src/core/ledgers.ts';
import * as jobReasons from '../../../src/job/reasons.ts';
import { mayBeAdmitted } from '../../../src/queue/jobs.ts';
import { isGivenBack } from '../../../src/queue/ledger/entries.ts';
import { JobCluster } from '../../support/job-cluster.ts';

const reasons: readonly string[] = Object.values(jobReasons).flat();

type Event = { readonly what: keyof typeof events; readonly number: number };

/** The cluster, and writes of a leader that was frozen before it sent them. */
type Scene = { readonly cluster: JobCluster; readonly late: Step[]; isByHand: boolean };

const states = ['Waiting', 'Starting', 'Running', 'Suspending', 'Suspended'];

/** A write that an API server refuses has no effect. */
function tried(write: () => void): void {
  try {
    write();
  } catch (error) {
    const { message = '' } = error as Error;
    if (!['Conflict', 'Stale', 'NotFound', 'AlreadyExists'].includes(message)) throw error;
  }
}

const decides = ({ cluster }: Scene): void => tried(() => cluster.step());

function queueActs({ cluster }: Scene): void {
  const { swarmJob: job, parsedBatchJob, parsedPods, entry, living } = cluster;
  const runs = withEndsByPods(parsedBatchJob === undefined ? [] : [parsedBatchJob], parsedPods);
  if (entry === undefined) {
    if (mayBeAdmitted(job, runs) && cluster.isLedgerKnown) cluster.admit();
    return;
  }
  const hasNone = runs.every(({ grant }) => grant !== entry.grant) && living.length === 0;
  // As long after it was taken back as its controller may take to notice.
  const unnotedMs = new Map<string, number>();
  const footprint = { job, runs, livingPods: living.length, unnotedMs, unseenMs: undefined };
  const isGone = isGivenBack(entry, footprint) || (hasNone && isVoid(job, entry));
  if (isGone) cluster.entry = undefined;
}

const events = {
  decides,
  /** Ends after so many steps, as a process that is killed. */
  decidesInPart: ({ cluster }: Scene, number: number) => {
    const { steps } = cluster.decide();
    tried(() => {
      for (const step of steps.slice(0, number)) cluster.carryOut(step);
    });
  },
  freezes: ({ cluster, late }: Scene) => void late.push(...cluster.decide().steps),
  /** In any order. */
  thaws: ({ cluster, late }: Scene, number: number) => {
    const [step] = late.splice(number % Math.max(1, late.length), 1);
    if (step !== undefined) tried(() => cluster.carryOut(step));
  },
  queueActs,
  controllerSyncs: ({ cluster }: Scene) => void cluster.controllerSyncs(),
  terminatingEnd: ({ cluster }: Scene) => void cluster.terminatingEnd(),
  podReady: ({ cluster }: Scene, number: number) => void cluster.podsReady(number % 2),
  podsReady: ({ cluster }: Scene) => void cluster.podsReady(),
  podEndsWell: ({ cluster }: Scene, number: number) => {
    cluster.podsEnd({ exitCode: 0 }, number % 2);
  },
  podFails: ({ cluster }: Scene, number: number) =>
    void cluster.podsEnd({ exitCode: 7 }, number % 2),
  podDisrupted: ({ cluster }: Scene, number: number) => {
    cluster.podsEnd('Disrupted', number % 2);
  },
  jobDeleted: ({ cluster }: Scene) => void cluster.deleteBatchJob(),
  jobSuspended: ({ cluster }: Scene) => void cluster.suspendByHand(true),
  jobUnsuspended: (scene: Scene) => {
    scene.cluster.suspendByHand(false);
    scene.isByHand = true;
  },
  grantRemoved: (scene: Scene) => {
    scene.cluster.annotateByHand(undefined);
    scene.isByHand = true;
  },
  jobScaled: (scene: Scene, number: number) => {
    scene.cluster.scaleByHand(number % 3);
    scene.isByHand = true;
  },
  statusWiped: ({ cluster }: Scene) => void cluster.makeUpStatus(undefined),
  statusMadeUp: ({ cluster }: Scene, number: number) => {
    cluster.makeUpStatus({ state: states[number % states.length] });
  },
  /** The API server refuses to change what is admitted. */
  resized: ({ cluster }: Scene, number: number) => {
    const isAdmitted = ['Admitted', 'Starting', 'Running', 'Suspending'];
    if (!isAdmitted.includes(cluster.state ?? '')) cluster.edit({ size: 1 + (number % 2) });
  },
  suspends: ({ cluster }: Scene) => void cluster.edit({ suspend: true }),
  resumes: ({ cluster }: Scene) => void cluster.edit({ suspend: false }),
  timePasses: ({ cluster }: Scene, number: number) => void cluster.later(number * 100_000),
  secondPasses: ({ cluster }: Scene) => void cluster.later(1_000),
  podWatchBreaks: ({ cluster }: Scene) => void cluster.breakPodWatch(true),
  podWatchRecovers: ({ cluster }: Scene) => void cluster.breakPodWatch(false),
  ledgerLost: ({ cluster }: Scene) => {
    cluster.isLedgerKnown = false;
  },
  ledgerFound: ({ cluster }: Scene) => {
    cluster.isLedgerKnown = true;
  },
} as const;

const names = Object.keys(events) as (keyof typeof events)[];

/** Most of what happens is the usual. */
const event: fc.Arbitrary<Event> = fc.record({
  what: fc.oneof(
    { weight: 5, arbitrary: fc.constant('decides' as const) },
    { weight: 3, arbitrary: fc.constant('controllerSyncs' as const) },
    { weight: 2, arbitrary: fc.constantFrom('queueActs' as const, 'podsReady' as const) },
    { weight: 4, arbitrary: fc.constantFrom(...names) },
  ),
  number: fc.nat(4),
});

function check({ cluster, isByHand }: Scene, before: ReadonlySet<string>): void {
  const { living, parsedBatchJob, entry, status } = cluster;
  expect(new Set(living.map(({ jobUid }) => jobUid)).size).toBeLessThanOrEqual(1);
  const ranks = living.map(({ rank }) => rank);
  expect(new Set(ranks).size).toBe(ranks.length);
  const news = living.filter(({ uid }) => !before.has(uid));
  if (news.length > 0 && !isByHand) {
    expect(parsedBatchJob?.grant).toBe(entry?.grant);
    expect(living.length).toBeLessThanOrEqual(entry?.size ?? 0);
  }
  if (cluster.job?.['status'] !== undefined) expect(cluster.swarmJob.status).toBeDefined();
  if (status.reason !== undefined) expect(reasons).toContain(status.reason);
  expect(status.history?.length ?? 0).toBeLessThanOrEqual(20);
  const isUpToDate = cluster.isLedgerKnown && !cluster.isPodWatchBroken;
  const isAtRest = isUpToDate && cluster.decide().steps.length === 0;
  if (isAtRest && restful.has(status.state)) expect(living).toEqual([]);
}

/** Nothing of the job lives then. */
const restful: ReadonlySet<string | undefined> = new Set(['Waiting', 'Suspended']);

function play(scene: Scene, happened: readonly Event[]): void {
  for (const { what, number } of happened) {
    const before = new Set(scene.cluster.living.map(({ uid }) => uid));
    events[what](scene, number);
    check(scene, before);
    // What was changed by hand is suspended, or deleted, by the next decision.
    if (scene.cluster.parsedBatchJob?.isSuspended !== false) scene.isByHand = false;
  }
}

/** Nothing disturbs it any more: suspended, it gives everything back, and resumed, it ends. */
function leftAlone(scene: Scene): void {
  const { cluster } = scene;
  const isOver = (): boolean => cluster.entry === undefined && hasEnded(cluster.swarmJob);
  scene.late.splice(0);
  cluster.isLedgerKnown = true;
  cluster.breakPodWatch(false).edit({ suspend: true }).settle();
  // Its controller may have noted the suspension before the leader has seen the take-back.
  cluster.later(NOTED_WITHIN_MS).rest();
  queueActs(scene);
  expect(cluster.entry).toBeUndefined();
  expect(['Suspended', 'Succeeded', 'Failed']).toContain(cluster.state);
  cluster.edit({ suspend: false });
  for (let round = 0; round < 60 && !isOver(); round += 1) {
    cluster.settle();
    queueActs(scene);
    cluster.rest();
    cluster.controllerSyncs().podsReady().rest();
    if (round > 1) cluster.podsEnd({ exitCode: 0 }).controllerSyncs().rest();
    cluster.later(1_000_000);
  }
  cluster.settle();
}

/** From its creation, or from when it runs. */
function begun(size: number, retries: object, isRunning: boolean): Scene {
  const cluster = new JobCluster({ size, retries, startTimeoutSeconds: 150 });
  if (isRunning) cluster.running();
  return { cluster, late: [], isByHand: false };
}

const size = fc.constantFrom(1, 2);
const retries = fc.constantFrom({ application: 1, other: 1 }, { application: 99, other: 99 });

describe('any history of a job', () => {
  it('in any history a job has at most one attempt at a time, and no pod runs without an admission', () => {
    const history = fc.array(event, { maxLength: 60 });
    const property = fc.property(size, retries, fc.boolean(), history, (...given) => {
      const [ranks, retried, isRunning, happened] = given;
      play(begun(ranks, retried, isRunning), happened);
    });
    fc.assert(property, { numRuns: 300 });
  });

  it('after any history a job that is left alone ends, gives its entry back, and writes nothing more', () => {
    const history = fc.array(event, { maxLength: 40 });
    const property = fc.property(size, retries, fc.boolean(), history, (...given) => {
      const [ranks, retried, isRunning, happened] = given;
      const scene = begun(ranks, retried, isRunning);
      const { cluster } = scene;
      play(scene, happened);
      leftAlone(scene);
      expect(['Succeeded', 'Failed']).toContain(cluster.state);
      expect(cluster.entry).toBeUndefined();
      expect(cluster.living).toEqual([]);
      expect(cluster.rest()).toEqual([]);
    });
    fc.assert(property, { numRuns: 150 });
  });
});
