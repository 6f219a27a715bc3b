// Does the operator read events only while a pod is missing, at which pace, and with what result?
import { expect, it } from '@jest/globals';
import type { KubeObject } from '../../../../src/api/objects.ts';
import { creationOfRank } from '../../../../src/job/observe/creations.ts';
import { creationOfWorker } from '../../../../src/pool/observe/creations.ts';
import type { Selectors } from '../../../../src/runtime/client/api.ts';
import { KubeError } from '../../../../src/runtime/client/errors.ts';
import { Creations } from '../../../../src/runtime/store/creations.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

const set = { uid: 'u', namespace: 'n' };
const quota =
  'create Pod worker-1 in StatefulSet worker failed error: pods "worker-1" is forbidden:\n exceeded quota: q';

const event = (reason: string, message: string, second: number, uid = 'u'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: `e${second}` },
  reason,
  message,
  involvedObject: { kind: 'StatefulSet', uid },
  lastTimestamp: new Date(second * 1_000).toISOString(),
});

function setUp() {
  const clock = new VirtualClock();
  const asked: { readonly at: number; readonly selectors: Selectors | undefined }[] = [];
  const woken: string[] = [];
  const events: KubeObject[] = [];
  const state: { error?: Error; tookMs?: number } = {};
  const api = {
    list: async (_: unknown, namespace: string | undefined, selectors?: Selectors) => {
      expect(namespace).toBe('n');
      asked.push({ at: clock.monotonic(), selectors });
      const { tookMs } = state;
      if (tookMs !== undefined) await new Promise<void>((end) => clock.after(tookMs, end));
      return state.error === undefined
        ? Promise.resolve({ items: [...events], resourceVersion: '1' })
        : Promise.reject(state.error);
    },
  };
  const of = { kind: 'StatefulSet', read: creationOfWorker };
  const creations = new Creations({ api, clock, ...of, onChange: (key) => woken.push(key) });
  return { clock, asked, woken, events, state, creations, times: () => asked.map(({ at }) => at) };
}

it('events of a StatefulSet are read once its pod is missing for five seconds, then every thirty', async () => {
  const { clock, asked, creations, times } = setUp();
  creations.follow('k', [set]);
  await clock.advance(4_000);
  creations.follow('k', []);
  await clock.advance(60_000);
  expect(times()).toEqual([]);
  creations.follow('k', [set]);
  for (let round = 0; round < 70; round += 1) {
    creations.follow('k', [set]);
    await clock.advance(1_000);
  }
  expect(times()).toEqual([69_000, 99_000, 129_000]);
  expect(asked[0]?.selectors).toEqual({
    fieldSelector: 'involvedObject.kind=StatefulSet,involvedObject.uid=u',
  });
  creations.forgetAll();
  expect(clock.pending).toBe(0);
});

it('the last failure of each missing pod is reported in one line, and a change of it wakes the key', async () => {
  const { clock, woken, events, creations } = setUp();
  events.push(
    event('FailedCreate', quota, 20),
    event('SuccessfulCreate', 'create Pod worker-0 in StatefulSet worker successful', 10),
  );
  events.push(
    event('FailedCreate', 'create Pod worker-0 in StatefulSet worker failed error: once', 5),
    event('Other', 'no pod', 30),
  );
  creations.follow('k', [set]);
  await clock.advance(100_000);
  expect([...creations.failuresOf('k')]).toEqual([
    ['worker-1', 'pods "worker-1" is forbidden: exceeded quota: q'],
  ]);
  expect(woken).toEqual(['k']);
  events.push(
    event('SuccessfulCreate', 'create Pod worker-1 in StatefulSet worker successful', 40),
  );
  await clock.advance(30_000);
  expect([...creations.failuresOf('k')]).toEqual([]);
  expect(woken).toEqual(['k', 'k']);
});

it('all pods of a namespace that are missing are looked up by one list, every five seconds at most', async () => {
  const { clock, asked, woken, events, creations, times } = setUp();
  const refused = 'create Pod worker-0 in StatefulSet worker failed error: no';
  events.push(event('FailedCreate', refused, 1, 'u7'), event('FailedCreate', refused, 1, 'other'));
  // A hundred in ten seconds, as when the controller is slow to make pods.
  for (let at = 0; at < 100; at += 1) {
    creations.follow(`k${at}`, [{ uid: `u${at}`, namespace: 'n' }]);
    await clock.advance(100);
  }
  await clock.advance(50_000);
  expect(times().slice(0, 4)).toEqual([5_000, 10_000, 15_000, 35_000]);
  expect(times().length).toBe(6);
  expect(asked.map(({ selectors }) => selectors?.fieldSelector)).toEqual([
    'involvedObject.kind=StatefulSet,involvedObject.uid=u0',
    ...Array.from({ length: 2 }, () => 'involvedObject.kind=StatefulSet'),
    'involvedObject.kind=StatefulSet,involvedObject.uid=u0',
    ...Array.from({ length: 2 }, () => 'involvedObject.kind=StatefulSet'),
  ]);
  expect(woken).toEqual(['k7']);
  expect([...creations.failuresOf('k7')]).toEqual([['worker-0', 'no']]);
  creations.forgetAll();
  expect(clock.pending).toBe(0);
});

it('a list of events that takes long is followed by a long pause, though its owner is given up meanwhile', async () => {
  const { clock, state, creations, times } = setUp();
  state.tookMs = 2_000;
  creations.follow('k', [set]);
  await clock.advance(6_000);
  expect(times()).toEqual([5_000]);
  creations.follow('k', []);
  await clock.advance(10_000);
  creations.follow('k', [set]);
  await clock.advance(30_000);
  expect(times()).toEqual([5_000, 25_000]);
  creations.follow('k', []);
  await clock.advance(60_000);
  expect(clock.pending).toBe(0);
});

it('the operator does without events where it may not list them', async () => {
  const { clock, woken, state, creations, times } = setUp();
  state.error = new KubeError('Forbidden', 'events is forbidden');
  creations.follow('k', [set]);
  await clock.advance(40_000);
  expect([...creations.failuresOf('k')]).toEqual([]);
  expect(woken).toEqual([]);
  expect(times()).toEqual([5_000, 35_000]);
});

it.each<[string, string, string, ReturnType<typeof creationOfRank>]>([
  [
    'a policy refused',
    'FailedCreate',
    'Error creating: pods "sim-12-x4k2j" is forbidden: violates PodSecurity "restricted:latest":\n hostPath',
    {
      pod: '12',
      failure:
        'the pod of rank 12 is forbidden: violates PodSecurity "restricted:latest": hostPath',
    },
  ],
  [
    'a webhook refused',
    'FailedCreate',
    'Error creating: admission webhook "a.example.org" denied the request: no',
    { pod: '', failure: 'admission webhook "a.example.org" denied the request: no' },
  ],
  [
    'was created in the end',
    'SuccessfulCreate',
    'Created pod: sim-2024-3-x4k2j',
    { pod: '3', failure: undefined },
  ],
  ['no event tells of', 'Suspended', 'Job suspended', undefined],
])('the event of a batch Job tells of a pod that %s', (_, reason, note, told) => {
  expect(creationOfRank(reason, note)).toEqual(told);
});
