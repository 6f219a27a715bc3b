// Is a text that the operator wrote not parsed again, and a text by another writer always?
import { describe, expect, it } from '@jest/globals';
import { type Assignment, writeAssignment } from '../../../../../src/api/assignment.ts';
import type { ConfigMap } from '../../../../../src/api/observed.ts';
import { readStreamList } from '../../../../../src/api/stream-list.ts';
import { decidePool, desiredIn } from '../../../../../src/pool/decide.ts';
import { Readings } from '../../../../../src/pool/observe/texts/readings.ts';
import {
  ANNOTATION_CHANGE,
  ANNOTATION_POOL,
  isEdited,
  ownership,
  sizeOfKey,
} from '../../../../../src/pool/publish/config-map.ts';
import { TurnScheduler } from '../../../../../src/runtime/queue/turn-scheduler.ts';
import { settled } from '../../../../support/pool-decisions.ts';
import { jobsOf, NOW, withStreams, world } from '../../../../support/pool-worlds.ts';
import { VirtualClock } from '../../../../support/virtual-clock.ts';

const found = (text: string, version: string): ConfigMap => ({
  name: 'tv-assignments',
  namespace: 'swarm',
  uid: 'u',
  resourceVersion: version,
  labels: {},
  annotations: {},
  data: { 'config.yml': text },
});

it("a text by another writer is parsed, and the pool's own text is read back as it was written", async () => {
  const decision = decidePool(world(), NOW);
  const [create] = decision.steps;
  const text =
    create?.do === 'create'
      ? String((create.object['data'] as Record<string, unknown>)['config.yml'])
      : '';
  const scheduler = new TurnScheduler({ clock: new VirtualClock() });
  const readings = new Readings(scheduler);
  readings.expect('swarm/tv', decision);
  const edited = new Map([['worker-0', { jobs: ['by hand'], version: 1 }]]);
  const others: Assignment = { workloads: edited, version: 1 };
  expect(await readings.readAssignment(found(writeAssignment(others), '1'), 'config.yml')).toEqual({
    ok: true,
    assignment: others,
  });
  const own = await readings.readAssignment(found(text, '2'), 'config.yml');
  const again = await new Readings(scheduler).readAssignment(found(text, '2'), 'config.yml');
  expect(own).toEqual(again);
  expect(await readings.readAssignment(found('no: {', '3'), 'config.yml')).toMatchObject({
    ok: false,
  });
});

it.each([
  ['created', world()],
  ['patched', withStreams(settled(world()), 5)],
])('a ConfigMap that was %s is read back as the same assignment object', async (_, at) => {
  const decision = decidePool(at, NOW);
  const written = desiredIn(decision)?.publication.writes[0];
  const readings = new Readings(new TurnScheduler({ clock: new VirtualClock() }));
  readings.expect('swarm/tv', decision);
  const read = await readings.readAssignment(found(written?.text ?? '', '2'), 'config.yml');
  expect(read?.ok === true && read.assignment).toBe(written?.assignment);
});

describe('a list of streams', () => {
  const names = Array.from({ length: 9_000 }, (_, index) => `stream-${index}`);
  const list = (lines: readonly string[], version: string): ConfigMap => ({
    ...found('', version),
    data: { all: lines.join('\n') },
  });
  const streamsIn = async (readings: Readings, configMap: ConfigMap) => {
    const read = await readings.readList(configMap, 'all');
    if (read?.ok !== true) throw new Error('the list cannot be read');
    return read.streams;
  };

  it('an edited list is read on this thread, and its other streams are the same objects', async () => {
    let parsed = 0;
    const readings = new Readings(new TurnScheduler({ clock: new VirtualClock() }), {
      assignment: () => Promise.reject(new Error('no assignment')),
      list: (text, source) => {
        parsed += 1;
        return Promise.resolve({ value: readStreamList(text, source), workedMs: 1 });
      },
    });
    const first = list(names, '1');
    const before = await streamsIn(readings, first);
    const second = list(names.with(4_000, 'renamed'), '2');
    const after = await streamsIn(readings, second);
    expect([parsed, after[4_000]]).toEqual([1, { name: 'renamed' }]);
    expect(after.filter((stream, at) => stream !== before[at])).toHaveLength(1);
    readings.forget(second);
    await streamsIn(readings, list(names.with(5_000, 'renamed'), '3'));
    expect(parsed).toBe(2);
  });
});

it('the texts that a pool was about to write are forgotten with the pool', async () => {
  const decision = decidePool(world(), NOW);
  const written = desiredIn(decision)?.publication.writes[0];
  const readings = new Readings(new TurnScheduler({ clock: new VirtualClock() }));
  readings.expect('swarm/tv', decision);
  readings.forgetPool('swarm/tv');
  const read = await readings.readAssignment(found(written?.text ?? '', '2'), 'config.yml');
  expect(read).toEqual({ ok: true, assignment: written?.assignment });
  expect(read?.ok === true && read.assignment).not.toBe(written?.assignment);
});

describe.each(['constructor', 'toString', 'valueOf'])(
  'a key %s that a ConfigMap does not have',
  (key) => {
    const configMap = { ...found('a', '1'), annotations: { [ANNOTATION_POOL]: 'tv' } };

    it('a missing key with the name of a method of objects has no list, no assignment and no size', async () => {
      const readings = new Readings(new TurnScheduler({ clock: new VirtualClock() }));
      expect(await readings.readList(configMap, key)).toBeUndefined();
      expect(await readings.readAssignment(configMap, key)).toBeUndefined();
      expect(sizeOfKey(configMap, key)).toEqual({ length: 0, marks: 0 });
    });

    it('a missing key with the name of a method of objects is that of a placeholder for the pool', () =>
      expect(ownership(configMap, 'tv', key)).toBe('placeholder'));

    it('a missing key with the name of a method of objects has not been edited', () => {
      const change = {
        version: 1,
        moves: 0,
        reason: 'Created',
        time: '2026-01-01T00:00:00Z',
        key,
        digest: '0123456789abcdef',
      };
      const noted = { ...configMap, annotations: { [ANNOTATION_CHANGE]: JSON.stringify(change) } };
      expect(isEdited({ key, configMap: noted })).toBe(false);
    });
  },
);

it('a pool whose key is called constructor publishes there', () => {
  const rest = settled(
    world({ streams: ['a', 'b'], workers: 2, spec: { assignments: { key: 'constructor' } } }),
  );
  expect(Object.values(jobsOf(rest)).flat().sort()).toEqual(['a', 'b']);
});
