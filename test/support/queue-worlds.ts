// Worlds of queues: made from objects as users write them, and led from decision to decision.
import {
  ANNOTATION_GRANT,
  ANNOTATION_QUEUED_AGAIN,
  ANNOTATION_STARTED_BY_HAND,
  ANNOTATION_WAITING,
  type BatchJob,
} from '../../src/api/batch-job.ts';
import type { JobPod } from '../../src/api/job-pod.ts';
import { kinds } from '../../src/api/kinds.ts';
import { parseLedger } from '../../src/api/ledger.ts';
import { asRecord, dig, type KubeObject } from '../../src/api/objects.ts';
import { parseConfigMap } from '../../src/api/observed.ts';
import {
  parseSwarmJob,
  parseSwarmQueue,
  type SwarmJob,
  type SwarmQueue,
} from '../../src/api/validate.ts';
import { noDefaults } from '../../src/core/completed-pod.ts';
import type { Step } from '../../src/core/decision.ts';
import { decideQueues, type QueueDecision } from '../../src/queue/decide.ts';
import { nothingRemembered, type QueueWorld } from '../../src/queue/world.ts';

export const NOW = Date.parse('2026-01-01T00:00:00Z');
export const secondsLater = (seconds: number): string =>
  new Date(NOW + seconds * 1000).toISOString().replace('.000Z', 'Z');

export const ownObject = (
  kind: string,
  name: string,
  spec: object,
  status?: object,
  meta: object = {},
): KubeObject => ({
  apiVersion: 'k8slab.info/v1alpha1',
  kind,
  metadata: {
    name,
    namespace: 'hpc',
    uid: `uid-${name}`,
    resourceVersion: '1',
    generation: 1,
    creationTimestamp: secondsLater(0),
    ...meta,
  },
  spec,
  ...(status !== undefined && { status }),
});

export const queueOf = (quota: object, spec: object = {}, name = 'batch'): SwarmQueue =>
  parseSwarmQueue(ownObject('SwarmQueue', name, { quota, ...spec }, undefined, {}));

/** Jobs with the same requests: size, or more of the spec, differs. */
export const jobOf = (
  name: string,
  spec: object = {},
  { status, ...meta }: { readonly status?: object; readonly creationTimestamp?: string } = {},
): SwarmJob =>
  parseSwarmJob(
    ownObject(
      'SwarmJob',
      name,
      { queueName: 'batch', image: 'example.org/sim', command: ['run'], ...spec },
      status,
      meta,
    ),
  );

export const runOf = (job: string, over: Partial<BatchJob> = {}): BatchJob => ({
  name: job,
  namespace: 'hpc',
  uid: `run-${job}`,
  resourceVersion: '1',
  queue: 'batch',
  hasQueueLabel: over.queue !== undefined || !('queue' in over),
  swarmJobUid: `uid-${job}`,
  grant: 2,
  attempt: 1,
  ranSeconds: 0,
  waits: undefined,
  deadlineSeconds: undefined,
  isSuspended: false,
  isResumed: over.isSuspended !== true,
  isDeleting: false,
  end: undefined,
  parallelism: 1,
  completions: 1,
  hasOtherController: false,
  endsWithLeader: false,
  launcher: undefined,
  startsTogether: false,
  createdMs: NOW,
  startedMs: over.isSuspended === true ? undefined : NOW,
  startedByHand: 0,
  user: '',
  suspendWriter: undefined,
  podSpec: undefined,
  active: 1,
  ready: 1,
  terminating: 0,
  endedPods: 0,
  completedIndexes: '',
  ...over,
});

export const podOf = (job: string, over: Partial<JobPod> = {}): JobPod => ({
  name: `${job}-0`,
  namespace: 'hpc',
  uid: `pod-${job}-0`,
  resourceVersion: '1',
  jobUid: `run-${job}`,
  orphanOf: undefined,
  swarmJobUid: `uid-${job}`,
  jobName: job,
  queue: 'batch',
  rank: 0,
  hasEnded: false,
  hasSucceeded: false,
  isReady: true,
  hasBegun: true,
  isTerminating: false,
  ip: '10.0.0.1',
  hasAddresses: false,
  node: 'node-1',
  disruption: undefined,
  exitCode: undefined,
  exitWhy: undefined,
  trouble: undefined,
  spec: {},
  ...over,
});

export const worldOf = (over: Partial<QueueWorld> = {}): QueueWorld => ({
  kind: 'SwarmQueue',
  namespace: 'hpc',
  epoch: 'leader-1',
  ledgerRef: { namespace: 'swarm', name: 'swarm-ledger-hpc' },
  ledger: undefined,
  isOutdated: false,
  queues: [],
  jobs: [],
  runs: [],
  pods: [],
  resourceQuotas: [],
  podDefaults: noDefaults,
  statusMs: new Map(),
  unnotedMs: new Map(),
  unseenMs: new Map(),
  freshPodsMs: new Map(),
  remembered: nothingRemembered,
  monotonicMs: 0,
  refused: undefined,
  ...over,
});

/** After this a status or a ledger may be written again. */
const LONG_MS = 10_000;

/** As the API server would store the ledger, the batch Jobs and the statuses. */
export function carriedOut(
  world: QueueWorld,
  { steps, remembered }: Pick<QueueDecision, 'remembered' | 'steps'>,
): QueueWorld {
  return steps.reduce<QueueWorld>((at, step) => withStep(at, step), {
    ...world,
    remembered,
    monotonicMs: world.monotonicMs + LONG_MS,
    statusMs: new Map(world.queues.map(({ meta }) => [meta.name, LONG_MS])),
  });
}

function withStep(world: QueueWorld, step: Step): QueueWorld {
  if (step.do === 'patch' && step.kind === kinds.Job) {
    const { uid } = step.ref;
    const runs = world.runs.map((run) => (run.uid === uid ? patched(run, step.body) : run));
    return { ...world, runs };
  }
  if (step.do === 'create' || step.do === 'patch') {
    const body = step.do === 'create' ? step.object : step.body;
    return { ...world, ledger: ledgerWith(world, asRecord(Object(body).data) ?? {}) };
  }
  if (step.do === 'delete') return { ...world, ledger: undefined };
  if (step.do !== 'status') return world;
  const queues = world.queues.map((queue) =>
    queue.meta.name === step.ref.name ? { ...queue, status: step.status as never } : queue,
  );
  return { ...world, queues };
}

function patched(run: BatchJob, body: object): BatchJob {
  const annotations = asRecord(dig(body, 'metadata', 'annotations')) ?? {};
  const suspend = dig(body, 'spec', 'suspend');
  const {
    [ANNOTATION_GRANT]: grant,
    [ANNOTATION_WAITING]: waits,
    [ANNOTATION_QUEUED_AGAIN]: again,
    [ANNOTATION_STARTED_BY_HAND]: byHand,
  } = annotations;
  return {
    ...run,
    ...(grant !== undefined && { grant: Number(grant) }),
    ...(waits !== undefined && { waits: waits === null ? undefined : String(waits) }),
    ...(typeof again === 'string' && { queuedAgainMs: Date.parse(again) }),
    ...(byHand !== undefined && { startedByHand: Number(byHand) }),
    ...(typeof suspend === 'boolean' && { isSuspended: suspend }),
  };
}

function ledgerWith({ ledger, ledgerRef }: QueueWorld, data: object) {
  const metadata = {
    ...ledgerRef,
    uid: 'uid-ledger',
    resourceVersion: `${Number(ledger?.at.resourceVersion ?? 0) + 1}`,
  };
  return parseLedger(parseConfigMap({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data }));
}

/** Until a decision has no steps, with much time between them. */
export function atRest(world: QueueWorld, now = NOW): QueueWorld {
  let at = carriedOut(world, { steps: [], remembered: world.remembered });
  for (let pass = 0; pass < 10; pass += 1) {
    const decision = decideQueues(at, now);
    if (decision.steps.length === 0) return at;
    at = carriedOut(at, decision);
  }
  throw new Error('ten decisions did not come to rest');
}

export const admittedIn = ({ ledger }: QueueWorld): readonly string[] =>
  (ledger?.entries ?? []).map(({ name }) => name).sort();

/** A job that is admitted under grant 2 and runs in a queue of four pods. */
export function withRunning(over: Partial<QueueWorld> = {}): QueueWorld {
  const queues = [queueOf({ pods: '4' })];
  const world = atRest(worldOf({ queues, jobs: [jobOf('a', { size: 4 })] }));
  const jobs = [jobOf('a', { size: 4 }, { status: { state: 'Running' } })];
  return { ...world, jobs, runs: [runOf('a')], pods: [podOf('a')], ...over };
}
