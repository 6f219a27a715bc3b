// How is a decision carried out? Step by step, by one who still leads, and each answer is seen by the next decision.
import { randomBytes } from 'node:crypto';
import { apiVersionOf, type Kind, kinds } from '../api/kinds.ts';
import type { KubeObject } from '../api/objects.ts';
import type { Decided, EventText, Regarding, Step } from '../core/decision.ts';
import type { KubeApi } from '../kube/api.ts';
import type { Clock } from '../kube/clock.ts';
import { KubeError } from '../kube/errors.ts';

/** How many pods are told at a time: enough for a kubelet to see a hundred within half a second, few enough for an API server. */
const PARALLEL = 32;
/** Of an event's note, in bytes: what is longer is refused. */
const LONGEST_NOTE = 1_024;
/** A name has at most 253 characters, 13 of them are ours. */
const LONGEST_NAME = 240;

export type Executor = {
  readonly api: KubeApi;
  readonly clock: Clock;
  readonly identity: string;
  readonly isLeading: () => boolean;
  readonly observe: (kind: Kind, object: KubeObject) => void;
  readonly onEventLost: (error: unknown) => void;
};

/** Steps in order; neighbouring nudges, and neighbouring evictions, at a time. Throws what the first failure was, after its neighbours have been tried. */
export async function execute(executor: Executor, steps: readonly Step[]): Promise<void> {
  for (let at = 0; at < steps.length; ) {
    const end = endOfRun(steps, at);
    await inParallel(steps.slice(at, end), (step) => perform(executor, step));
    at = end;
  }
}

/** What has been published is told along with the nudges, whatever becomes of those. */
function endOfRun(steps: readonly Step[], start: number): number {
  let end = start + 1;
  const kind = steps[start]?.do === 'event' ? steps[end]?.do : steps[start]?.do;
  while ((kind === 'annotate' || kind === 'evict') && steps[end]?.do === kind) end += 1;
  return end;
}

async function inParallel(steps: readonly Step[], run: (step: Step) => Promise<void>): Promise<void> {
  const left = [...steps];
  const failures: unknown[] = [];
  const lane = async (): Promise<void> => {
    for (let step = left.shift(); step !== undefined; step = left.shift()) await run(step).catch((error: unknown) => failures.push(error));
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL, steps.length) }, lane));
  if (failures.length > 0) throw failures[0];
}

async function perform(executor: Executor, step: Step): Promise<void> {
  if (!executor.isLeading()) throw new NotLeading();
  const { api, observe } = executor;
  switch (step.do) {
    case 'create':
      return observe(step.kind, await api.create(step.kind, step.object));
    case 'patch': {
      const body = { ...step.body, metadata: { ...metadataOf(step.body), ...preconditions(step.ref) } };
      return observe(step.kind, await api.patch(step.kind, step.ref, { type: 'merge', body }));
    }
    case 'delete':
      return api.delete(step.kind, step.ref, preconditions(step.ref));
    case 'annotate': {
      const body = { metadata: { ...preconditions(step.pod), annotations: step.annotations } };
      return observe(kinds.Pod, await api.patch(kinds.Pod, step.pod, { type: 'merge', body }, 'status'));
    }
    case 'scale': {
      const { name, namespace } = step.ref;
      const metadata = { name, ...(namespace !== undefined && { namespace }), ...preconditions(step.ref) };
      const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata, spec: { replicas: step.replicas } };
      await api.replace(step.kind, scale, 'scale');
      return;
    }
    case 'evict':
      return api.evict(step.pod);
    case 'status': {
      const { name, namespace } = step.ref;
      const metadata = { name, ...(namespace !== undefined && { namespace }), ...preconditions(step.ref) };
      const object = { apiVersion: apiVersionOf(step.kind), kind: step.kind.kind, metadata, status: step.status };
      return observe(step.kind, await api.replace(step.kind, object, 'status'));
    }
    case 'event':
      // What happened has happened: an event that cannot be written undoes nothing.
      await api.create(kinds.Event, eventObject(executor, step.regarding, step.event)).catch(executor.onEventLost);
      return;
    default:
      return step satisfies never;
  }
}

const preconditions = ({ uid, resourceVersion }: Decided): { uid: string; resourceVersion: string } => ({ uid, resourceVersion });

function metadataOf(body: object): object {
  return 'metadata' in body && typeof body.metadata === 'object' && body.metadata !== null ? body.metadata : {};
}

function eventObject({ clock, identity }: Executor, regarding: Regarding, event: EventText): KubeObject {
  const { name, namespace } = regarding;
  return {
    apiVersion: apiVersionOf(kinds.Event),
    kind: 'Event',
    metadata: {
      name: `${name.slice(0, LONGEST_NAME).replace(/[^a-z0-9]+$/, '')}.${randomBytes(6).toString('hex')}`,
      ...(namespace !== undefined && { namespace }),
    },
    eventTime: new Date(clock.now()).toISOString().replace('Z', '000Z'),
    reportingController: 'k8slab.info/swarm-operator',
    reportingInstance: identity,
    action: event.action,
    reason: event.reason,
    regarding,
    note: shortened(event.message),
    type: event.type,
  };
}

/** In bytes, as the API counts; cut between characters. */
function shortened(text: string): string {
  if (Buffer.byteLength(text) <= LONGEST_NOTE) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(LONGEST_NOTE - Buffer.byteLength('…')));
  return `${text.slice(0, read)}…`;
}

/** Frozen past its lease, this process has been replaced: it does nothing more. */
export class NotLeading extends KubeError {
  constructor() {
    super('Conflict', 'this replica does not lead any more');
  }
}
