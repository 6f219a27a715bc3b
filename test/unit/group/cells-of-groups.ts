// An operator of groups, and members of a kind that the administrator has named: cells.
import { type Kind, kinds } from '../../../src/api/kinds.ts';
import { memberKindIn } from '../../../src/api/member-kinds.ts';
import type { KubeObject } from '../../../src/api/objects.ts';
import type { SwarmGroupStatus } from '../../../src/api/validate.ts';
import { swarmGroupController } from '../../../src/group/controller.ts';
import { poolMarks } from '../../../src/pool/controller.ts';
import { KindRunner } from '../../../src/runtime/engine/kind-runner.ts';
import { MetricReadings } from '../../../src/runtime/metric-sources/readings.ts';
import { TurnScheduler } from '../../../src/runtime/queue/turn-scheduler.ts';
import { ScaleReadings } from '../../../src/runtime/scales/readings.ts';
import { makeStore } from '../../../src/runtime/store/store.ts';
import { MemoryApi } from '../../support/memory-api.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

export const kindOf = (group: string, version = 'v1', kind = 'Cell'): Kind => ({
  ...{ group, version, kind, plural: `${kind.toLowerCase()}s`, namespaced: true },
});
export const cell = kindOf('example.org');
export const apiVersion = 'example.org/v1';

export const served = [
  { name: 'cells', kind: 'Cell', namespaced: true, verbs: ['get'] },
  { name: 'cells/scale', kind: 'Scale', namespaced: true, verbs: ['get', 'update'] },
];

/** An operator that leads, and an API server whose watches report at once. */
export async function setUp(named: readonly string[] = ['example.org/v1/Cell']) {
  const clock = new VirtualClock();
  const api = new MemoryApi(clock);
  api.served = served;
  const metrics = new MetricReadings({ clock, sources: [], onAnswer: () => undefined });
  const scales = new ScaleReadings({ api, clock, kinds: named.map(memberKindIn) });
  const store = makeStore(api, poolMarks);
  const controller = swarmGroupController({ clock, store, metrics, scales });
  const runner = new KindRunner({
    ...{ api, clock, controller, identity: 'me', concurrency: 4, resyncMs: 3_600_000 },
    scheduler: new TurnScheduler({ clock }),
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    isLeading: () => true,
    onWritten: ignore,
    watches: {
      namespaces: [],
      readable: () => ({ state: 'synced', unreadable: [] }),
      refreshed: async () => undefined,
      isBroken: () => false,
    },
  });
  for (const { kind, onChange } of runner.subscriptions) {
    let version = 0;
    api.store.onChange(kind, () => {
      for (const { version: at, event } of api.store.since({ kind }, version)) {
        version = at;
        if (event.type !== 'BOOKMARK') onChange({ type: event.type, object: event.object });
      }
    });
  }
  await runner.lead(true);
  const place = (name: string) => ({ namespace: 'shop', name });
  const statusOf = (name = 'shop'): SwarmGroupStatus | undefined =>
    api.store.find(kinds.SwarmGroup, place(name))?.['status'] as SwarmGroupStatus | undefined;
  return {
    ...{ clock, api, runner, statusOf },
    see: (kind: Kind, name: string, spec: object = { replicas: 1 }, status: object = {}) =>
      api.store.put(kind, place(name), { spec, status }),
    /** The Deployment, whatever its generation. */
    ready: (replicas: number) =>
      api.store.put(kinds.Deployment, place('web'), {
        spec: { replicas },
        status: { replicas, readyReplicas: replicas, observedGeneration: 99 },
      }),
    group: (members: readonly object[], name = 'shop', replicas = 1) =>
      api.store.put(kinds.SwarmGroup, place(name), { spec: { replicas, members } }),
    resize: (replicas: number) =>
      api.store.merge(kinds.SwarmGroup, place('shop'), { spec: { replicas } }),
    /** The controller of cells starts as many as their spec asks for. */
    bring: (name: string): KubeObject => {
      const found = api.store.get(cell, place(name));
      const { replicas } = { replicas: 0, ...(found['spec'] as { replicas?: number }) };
      return api.store.merge(cell, place(name), { status: { replicas } });
    },
    replicasOf: (kind: Kind, name: string): unknown =>
      (api.store.find(kind, place(name))?.['spec'] as { replicas: number } | undefined)?.replicas,
    memberOf: (name: string, group = 'shop') =>
      statusOf(group)?.members?.find((it) => it.name === name),
    reads: () => api.calls.filter((it) => it.verb === 'get' && it.subresource === 'scale').length,
  };
}

const ignore = (): void => undefined;
export const cellNamed = (name: string, rest: object = {}) => ({
  apiVersion,
  kind: 'Cell',
  name,
  ...rest,
});
export const deployment = { kind: 'Deployment', name: 'web' };
