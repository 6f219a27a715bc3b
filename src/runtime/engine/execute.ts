// How is a decision carried out? Step by step while this replica leads; the next decision sees each
// answer.
import { apiVersionOf, type Kind, kinds } from '../../api/kinds.ts';
import type { KubeObject, ObjectMeta, Ref } from '../../api/objects.ts';
import type { Step, VersionedRef } from '../../core/decision.ts';
import type { KubeApi } from '../client/api.ts';
import { hasCode, KubeError, type KubeErrorCode } from '../client/errors.ts';
import { curveKeys } from '../keys/curve.ts';
import { sshKeys } from '../keys/ssh.ts';
import type { EventWriter } from './event-writer.ts';

/** A hundred nudges then take half a second, which an API server carries easily. */
const PARALLEL = 32;

export type Executor = {
  readonly api: KubeApi;
  readonly events: Pick<EventWriter, 'tell'>;
  readonly isLeading: () => boolean;
  readonly onWritten: (kind: Kind, object: KubeObject) => void;
  /** This scale was accepted; `scale` is its present state. */
  readonly onScaled: (kind: Kind, ref: Ref, scale: KubeObject) => void;
  /**
   * The answer to a write of this object was lost, so that it may have had effect; or a scale found
   * the object changed, or gone.
   */
  readonly markOutdated: (kind: Kind, ref: Ref) => void;
};

/** Neighbouring steps of one of these sorts run side by side: none depends on another. */
const SIDE_BY_SIDE: ReadonlySet<string> = new Set([
  'annotate',
  'independent patch',
  'create',
  'delete',
  'evict',
  'scale',
]);

/**
 * Steps in order, neighbours of one sort side by side. Throws the first failure, after its
 * neighbours have been tried; `onFailed` is told of each.
 */
export async function execute(
  executor: Executor,
  steps: readonly Step[],
  onFailed?: (step: Step, error: unknown) => void,
): Promise<void> {
  for (let at = 0; at < steps.length; ) {
    const end = endOfRun(steps, at);
    const run = steps.slice(at, end);
    const failures = await inParallel(run, (step) => perform(executor, step));
    for (const step of run) if (failures.has(step)) onFailed?.(step, failures.get(step));
    for (const error of failures.values()) throw error;
    at = end;
  }
}

function endOfRun(steps: readonly Step[], start: number): number {
  let end = start + 1;
  const sort = sortOf(steps[start]);
  if (sort === undefined || !SIDE_BY_SIDE.has(sort)) return end;
  while (sortOf(steps[end]) === sort) end += 1;
  return end;
}

const sortOf = (step: Step | undefined): string | undefined =>
  step?.do === 'patch' && step.isIndependent === true ? 'independent patch' : step?.do;

async function inParallel(
  steps: readonly Step[],
  run: (step: Step) => Promise<void>,
): Promise<ReadonlyMap<Step, unknown>> {
  const left = [...steps];
  const failures = new Map<Step, unknown>();
  const runRest = async (): Promise<void> => {
    for (let step = left.shift(); step !== undefined; step = left.shift()) {
      const failed = step;
      await run(step).catch((error: unknown) => failures.set(failed, error));
    }
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL, steps.length) }, runRest));
  return failures;
}

async function perform(executor: Executor, step: Step): Promise<void> {
  if (!executor.isLeading()) throw new NotLeading();
  const { api, onWritten } = executor;
  switch (step.do) {
    case 'create': {
      const { kind, object, isStrict = false } = step;
      const made = api.create(kind, object, { isStrict });
      return onWritten(kind, await sent(executor, kind, object.metadata, made));
    }
    case 'createKeys':
      return createKeys(api, step);
    case 'patch': {
      const body = {
        ...step.body,
        metadata: { ...metadataOf(step.body), ...preconditions(step.ref) },
      };
      return onWritten(
        step.kind,
        await sent(
          executor,
          step.kind,
          step.ref,
          api.patch(step.kind, step.ref, { type: 'merge', body }),
        ),
      );
    }
    case 'operate': {
      const tests = [{ op: 'test', path: '/metadata/uid', value: step.ref.uid }];
      const body = [...tests, ...step.operations];
      return onWritten(
        step.kind,
        await sent(
          executor,
          step.kind,
          step.ref,
          api.patch(step.kind, step.ref, { type: 'json', body }),
        ),
      );
    }
    case 'delete':
      return api.delete(step.kind, step.ref, preconditions(step.ref));
    case 'annotate': {
      const { uid, resourceVersion } = step.pod;
      const seen = resourceVersion === undefined ? { uid } : { uid, resourceVersion };
      const body = { metadata: { ...seen, annotations: step.annotations } };
      return onWritten(
        kinds.Pod,
        await api.patch(kinds.Pod, step.pod, { type: 'merge', body }, 'status'),
      );
    }
    case 'scale': {
      const metadata = identityOf(step.ref);
      const spec = { replicas: step.replicas };
      const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata, spec };
      const answer = api.replace(step.kind, scale, 'scale');
      const changed = ['Conflict', 'Stale', 'NotFound'] as const;
      const now = await sent(executor, step.kind, step.ref, answer, changed);
      return executor.onScaled(step.kind, step.ref, now);
    }
    case 'evict':
      return api.evict(step.pod);
    case 'status': {
      const { kind, status } = step;
      const metadata = identityOf(step.ref);
      const object = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, status };
      return onWritten(step.kind, await api.replace(step.kind, object, 'status'));
    }
    case 'event':
      // Nothing waits for an event, and none stops the steps after it.
      executor.events.tell(step.regarding, step.event);
      return;
    default:
      return step satisfies never;
  }
}

type CreateKeys = Extract<Step, { readonly do: 'createKeys' }>;

const makeKeys: Readonly<Record<CreateKeys['keys'], () => Readonly<Record<string, string>>>> = {
  ssh: sshKeys,
  curve: curveKeys,
};

/** Nothing keeps or shows the answer, which has the keys. */
async function createKeys(api: KubeApi, { keys, object }: CreateKeys): Promise<void> {
  try {
    await api.create(kinds.Secret, { ...object, stringData: makeKeys[keys]() });
  } catch (error) {
    // An earlier leader has created it for the same attempt, or this one without an answer.
    if (!hasCode(error, 'AlreadyExists')) throw error;
  }
}

const unanswered = ['Unreachable', 'Timeout', 'Unavailable', 'BadAnswer'] as const;

async function sent<T>(
  { markOutdated }: Executor,
  kind: Kind,
  ref: Ref,
  answer: Promise<T>,
  others: readonly KubeErrorCode[] = [],
): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (hasCode(error, ...unanswered, ...others)) markOutdated(kind, ref);
    throw error;
  }
}

type Seen = Pick<VersionedRef, 'uid' | 'resourceVersion'>;

const preconditions = ({ uid, resourceVersion }: Seen): Seen => ({ uid, resourceVersion });

const identityOf = ({ name, namespace, ...ref }: VersionedRef): ObjectMeta => ({
  name,
  ...(namespace !== undefined && { namespace }),
  ...preconditions(ref),
});

function metadataOf(body: object): object {
  return 'metadata' in body && typeof body.metadata === 'object' && body.metadata !== null
    ? body.metadata
    : {};
}

/** This process was frozen past its Lease, and another replica leads. */
export class NotLeading extends KubeError {
  constructor() {
    super('Conflict', 'this replica does not lead any more');
  }
}
