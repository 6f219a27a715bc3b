// Does a group whose selector selects nothing name the label that was probably meant?
import { expect, it } from '@jest/globals';
import { apiVersionOf, kinds } from '../../../src/api/kinds.ts';
import type { KubeObject } from '../../../src/api/objects.ts';
import { swarmGroupController } from '../../../src/group/controller.ts';
import { decideGroup } from '../../../src/group/decide.ts';
import { poolMarks } from '../../../src/pool/controller.ts';
import { MetricReadings } from '../../../src/runtime/metric-sources/readings.ts';
import { ScaleReadings } from '../../../src/runtime/scales/readings.ts';
import { makeStore } from '../../../src/runtime/store/store.ts';
import { MemoryApi } from '../../support/memory-api.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const deployment = (name: string, labels: object, namespace = 'shop'): KubeObject => ({
  apiVersion: apiVersionOf(kinds.Deployment),
  kind: 'Deployment',
  metadata: { name, namespace, uid: name, resourceVersion: '1', labels: { ...labels } },
  spec: { replicas: 1 },
});

const noMembers = {
  ...{ type: 'Ready', status: 'False', reason: 'NoMembers', message: 'it selects nothing' },
  lastTransitionTime: '2026-01-01T00:00:00Z',
};

function groupOf(matchLabels: object) {
  const clock = new VirtualClock();
  const api = new MemoryApi(clock);
  const metrics = new MetricReadings({ clock, sources: [], onAnswer: () => undefined });
  const scales = new ScaleReadings({ api, clock, kinds: [] });
  const store = makeStore(api, poolMarks);
  const controller = swarmGroupController({ clock, store, metrics, scales });
  const woken: string[] = [];
  const subscriptions = controller.subscriptions((key) => woken.push(key));
  const tell = (object: KubeObject, type: 'ADDED' | 'DELETED' = 'ADDED'): void => {
    for (const { kind, onChange } of subscriptions)
      if (kind.kind === object.kind) onChange({ type, object });
  };
  tell({
    apiVersion: apiVersionOf(kinds.SwarmGroup),
    kind: 'SwarmGroup',
    metadata: { name: 'shop', namespace: 'shop', uid: 'shop', resourceVersion: '1', generation: 1 },
    spec: { replicas: 2, selector: { matchLabels } },
    status: { conditions: [noMembers] },
  });
  return {
    woken,
    tell,
    message: async (): Promise<string | undefined> => {
      const world = await controller.observe('shop/shop', undefined);
      const steps = world === undefined ? [] : decideGroup(world, 0).steps;
      const [status] = steps.flatMap((step) => (step.do === 'status' ? [step.status] : []));
      const told = JSON.stringify(status);
      return /selects no workload, so there is nothing to scale([^"]*)"/.exec(told)?.[1];
    },
  };
}

it.each<[string, object, object, string]>([
  ['value', { tier: 'fronted' }, { tier: 'frontend' }, 'tier=frontend'],
  ['key', { tire: 'frontend' }, { tier: 'frontend' }, 'tier=frontend'],
  ['second of two', { app: 'web', tier: 'fron' }, { app: 'web', tier: 'front' }, 'tier=front'],
])('a group names the %s that is near', async (_, matchLabels, labels, meant) => {
  const { tell, message } = groupOf(matchLabels);
  tell(deployment('web', labels));
  expect(await message()).toBe(`; did you mean ${meant}, as Deployment web has it?`);
});

it('a group names nothing that is far, or of another namespace', async () => {
  const { tell, message } = groupOf({ tier: 'frontend' });
  tell(deployment('web', { tier: 'database' }));
  tell(deployment('web', { tier: 'frontends' }, 'other'));
  expect(await message()).toBe('');
});

it('a group is told when the label that it names comes and goes', async () => {
  const { tell, woken, message } = groupOf({ tier: 'fronted' });
  woken.length = 0;
  const web = deployment('web', { tier: 'frontend' });
  tell(web);
  expect(woken).toEqual(['shop/shop']);
  expect(await message()).toMatch('did you mean tier=frontend');
  tell(web, 'DELETED');
  expect(woken).toEqual(['shop/shop', 'shop/shop']);
  expect(await message()).toBe('');
});
