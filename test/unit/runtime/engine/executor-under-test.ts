// An executor over objects in memory: what has it written, and what is lost or outdated?
import { kinds } from '../../../../src/api/kinds.ts';
import type { KubeObject } from '../../../../src/api/objects.ts';
import type { Step } from '../../../../src/core/decision.ts';
import { EventWriter } from '../../../../src/runtime/engine/event-writer.ts';
import { type Executor, execute } from '../../../../src/runtime/engine/execute.ts';
import { MemoryApi } from '../../../support/memory-api.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';
import { decided } from './trivial-controller.ts';

export function setUp() {
  const clock = new VirtualClock();
  const api = new MemoryApi(clock);
  const observed: string[] = [];
  const lost: unknown[] = [];
  const outdated: string[] = [];
  const scaled: string[] = [];
  const events = new EventWriter({
    api,
    clock,
    identity: 'me',
    isLeading: () => true,
    onLost: (_, error) => lost.push(error),
  });
  const executor: Executor = {
    api,
    events,
    isLeading: () => true,
    onScaled: (kind, { name }, { metadata }) =>
      scaled.push(`${kind.kind} ${name} ${metadata.resourceVersion}`),
    markOutdated: (kind, { name }) => outdated.push(`${kind.kind} ${name}`),
    onWritten: (kind, { metadata }) =>
      observed.push(`${kind.kind} ${metadata.name} ${metadata.resourceVersion}`),
  };
  const pod = (name: string): KubeObject => api.store.put(kinds.Pod, { namespace: 'n', name });
  const annotate = (object: KubeObject): Step => ({
    do: 'annotate',
    pod: decided(object),
    annotations: { x: '1' },
  });
  const find = (name: string): KubeObject | undefined =>
    api.store.find(kinds.Pod, { namespace: 'n', name });
  /** All events are written. */
  const told = async (...steps: readonly Step[]): Promise<void> => {
    await execute(executor, steps);
    await events.drained(1_000);
  };
  return {
    clock,
    api,
    executor,
    events,
    told,
    observed,
    outdated,
    scaled,
    lost,
    pod,
    annotate,
    find,
  };
}

export const configMap = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'n', name: 'c' },
};
export const regarding = {
  apiVersion: 'k8slab.info/v1alpha1',
  kind: 'SwarmPool',
  namespace: 'n',
  name: 'p',
  uid: 'u',
};
export const event = (message: string, name = 'p'): Step => ({
  do: 'event',
  regarding: { ...regarding, name },
  event: { type: 'Normal', reason: 'Published', action: 'Publish', message },
});
export const status = (object: KubeObject): Step => ({
  do: 'status',
  kind: kinds.SwarmPool,
  ref: decided(object),
  status: { version: 1 },
});
