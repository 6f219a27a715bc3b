// What would a watch show of queues, jobs and pods? Short stories for the witness of the walk.
import type { KubeObject, ObjectMeta } from '../../src/api/objects.ts';
import type { Seen } from '../walk/witness/seen.ts';
import { Witness } from '../walk/witness/witness.ts';

const namespace = 'walk-a';

export type Change = {
  readonly isDeleted?: boolean;
  readonly meta?: object;
  readonly status?: object;
};

const object = (
  kind: string,
  name: string,
  { meta, status }: Change,
  rest: { readonly meta?: object; readonly spec: object },
): KubeObject => {
  const metadata: ObjectMeta = { name, namespace, uid: name, ...rest.meta, ...meta };
  return { apiVersion: 'v1', kind, metadata, spec: rest.spec, status };
};

export const queue = (pods: number, change: Change = {}, rest: object = {}): KubeObject =>
  object('SwarmQueue', 'red', change, { spec: { quota: { pods: String(pods) }, ...rest } });

export const swarmJob = (state: string, spec: object = {}, name = 'j0'): KubeObject =>
  object('SwarmJob', name, { status: { state } }, { spec: { queueName: 'red', size: 2, ...spec } });

/** Its status says that this job takes its place. */
export function preempted(by: string, priority: number, spec: object = {}): KubeObject {
  const message = `job ${by} of priority ${priority} takes its place`;
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  const condition = { type: 'Preempted', status: 'True', message, lastTransitionTime };
  return { ...swarmJob('Suspending', spec), status: { conditions: [condition] } };
}

/** `by`: who has written `spec.suspend`. */
export function batchJob(
  name: string,
  {
    by = 'operator',
    size = 2,
    isSuspended = false,
    of,
    user,
  }: {
    readonly by?: string;
    readonly size?: number;
    readonly isSuspended?: boolean;
    /** Its SwarmJob. */
    readonly of?: string;
    readonly user?: string;
  },
  change: Change = {},
): KubeObject {
  const meta = {
    labels: { 'k8slab.info/queue': 'red' },
    managedFields: [{ manager: by, fieldsV1: { 'f:spec': { 'f:suspend': {} } } }],
    ...(user !== undefined && { annotations: { 'k8slab.info/user': user } }),
    ...(of !== undefined && { ownerReferences: [owner('SwarmJob', of)] }),
  };
  const spec = { suspend: isSuspended, parallelism: size, completions: size };
  return object('Job', name, change, { meta, spec });
}

export function pod(job: string, rank: number, change: Change = {}): KubeObject {
  const meta = {
    uid: `${job}-${rank}`,
    labels: { 'batch.kubernetes.io/controller-uid': job },
    annotations: { 'batch.kubernetes.io/job-completion-index': String(rank) },
    ownerReferences: [owner('Job', job)],
  };
  return object('Pod', `${job}-${rank}`, change, { meta, spec: {} });
}

export const ended = { status: { phase: 'Succeeded' } } as const;
export const orphaned = { meta: { ownerReferences: [] } } as const;
export const stripped = { meta: { ownerReferences: [], labels: {} } } as const;

const owner = (kind: string, uid: string) => ({
  ...{ apiVersion: 'v1', kind, name: uid, uid, controller: true },
});

/** A number is a pause in seconds; `gone` before an object: it was deleted. */
export type Event = KubeObject | number | readonly ['gone', KubeObject];

/** The checks that find something. */
export function findingsOf(events: readonly Event[]): readonly string[] {
  const witness = new Witness();
  let atMs = 1_000_000;
  for (const [revision, event] of events.entries()) {
    if (typeof event === 'number') atMs += 1_000 * event;
    else witness.take({ ...seen(event), revision, atMs });
  }
  return [...new Set(witness.findings.map(({ check }) => check))];
}

const seen = (event: KubeObject | readonly ['gone', KubeObject]) =>
  'kind' in event
    ? { object: event, isDeleted: false }
    : ({ object: event[1], isDeleted: true } satisfies Pick<Seen, 'object' | 'isDeleted'>);
