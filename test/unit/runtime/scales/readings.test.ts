// Is the scale of an object of a named kind read at its pace, within bounds, only while a group
// needs it, and is it explained why there is none?
import { describe, expect, it } from '@jest/globals';
import type { Kind } from '../../../../src/api/kinds.ts';
import type { KubeObject } from '../../../../src/api/objects.ts';
import type { ServedResource } from '../../../../src/runtime/client/api.ts';
import { KubeError } from '../../../../src/runtime/client/errors.ts';
import {
  type ScaledRef,
  type ScaleReading,
  ScaleReadings,
} from '../../../../src/runtime/scales/readings.ts';
import { type Call, hang, MemoryApi, scaleOf } from '../../../support/memory-api.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

const cell: Kind = {
  group: 'example.org',
  version: 'v1',
  kind: 'Cell',
  plural: 'cellae',
  namespaced: true,
};
const other = { group: 'other.org', version: 'v1', kind: 'Thing' };

const resource = (name: string, kind: string, rest: Partial<ServedResource> = {}) => ({
  ...{ name, kind, namespaced: true, verbs: ['get'], ...rest },
});
const scalable = [resource('cellae', 'Cell'), resource('cellae/scale', 'Scale')];

const refTo = (name: string, namespace = 'shop', of: Omit<Kind, 'plural' | 'namespaced'> = cell) =>
  ({ group: of.group, version: of.version, kind: of.kind, namespace, name }) satisfies ScaledRef;

const REST = 30_000;
const MOVING = 2_000;

function setUp() {
  const clock = new VirtualClock();
  const api = new MemoryApi(clock);
  api.served = scalable;
  const told: string[] = [];
  const readings = new ScaleReadings({ api, clock, kinds: [cell, other] });
  readings.listen(({ name }, reading) => void told.push(`${name} ${reading?.state ?? 'gone'}`));
  const put = (replicas: number, present = replicas, namespace = 'shop', name = 'a'): KubeObject =>
    api.store.put(cell, { namespace, name }, { spec: { replicas }, status: { replicas: present } });
  const read = (
    refs: readonly ScaledRef[] = [refTo('a')],
    paceMs = REST,
    reader = 'shop/group',
  ) => {
    readings.follow(reader, refs, paceMs);
    return refs.map((ref) => readings.reading(ref));
  };
  const asked = (): readonly Call[] => api.calls.filter((call) => call.subresource === 'scale');
  return { clock, api, told, readings, put, read, asked };
}

const shown = (reading: ScaleReading | undefined): unknown => {
  switch (reading?.state) {
    case 'found':
      return [reading.scale.replicas, reading.scale.present];
    case 'refused':
      return reading.why;
    default:
      return reading?.state;
  }
};

describe('the scale of an object', () => {
  it('a scale is pending, and then found where its kind is served', async () => {
    const { clock, put, read, told } = setUp();
    put(3, 2);
    expect(read().map(shown)).toEqual(['pending']);
    await clock.advance(1);
    expect(read()).toEqual([
      {
        state: 'found',
        kind: cell,
        scale: {
          ...{ name: 'a', namespace: 'shop', uid: 'uid-1', resourceVersion: '11' },
          ...{ replicas: 3, present: 2, selector: '' },
        },
      },
    ]);
    expect(told).toEqual(['a found']);
  });

  it('a scale of 0 replicas, which has no spec.replicas, is found', async () => {
    const { clock, put, read } = setUp();
    put(0);
    read();
    await clock.advance(1);
    expect(read().map(shown)).toEqual([[0, 0]]);
  });

  it('a scale is read at the quickest pace of its readers, with discovery once', async () => {
    const { clock, api, put, read, asked, readings } = setUp();
    put(1);
    read();
    await clock.advance(2 * REST);
    expect(asked()).toHaveLength(3);
    read([refTo('a')], MOVING, 'shop/second');
    await clock.advance(10_000);
    expect(asked()).toHaveLength(3 + 5);
    readings.release('shop/second');
    await clock.advance(REST);
    expect(asked().length).toBeLessThanOrEqual(3 + 5 + 2);
    expect(api.calls.length - asked().length).toBe(1);
  });

  it('a scale is reported when it changes, and only then', async () => {
    const { clock, put, read, told } = setUp();
    put(1);
    read([refTo('a')], MOVING);
    await clock.advance(20_000);
    expect(told).toHaveLength(1);
    put(1, 2);
    await clock.advance(MOVING);
    expect(told).toHaveLength(2);
    expect(read([refTo('a')], MOVING).map(shown)).toEqual([[1, 2]]);
  });

  it('a scale is read no more when no group needs it', async () => {
    const { clock, put, read, asked, told } = setUp();
    put(1);
    read([refTo('a'), refTo('b')]);
    await clock.advance(1);
    read([refTo('b')]);
    expect(told.at(-1)).toBe('a gone');
    read([]);
    expect(told.at(-1)).toBe('b gone');
    const count = asked().length;
    await clock.advance(10 * REST);
    expect(asked()).toHaveLength(count);
    expect(clock.pending).toBe(0);
  });

  it('a scale is at once what a write was answered with, whatever was under way', async () => {
    const { clock, api, put, read, readings } = setUp();
    put(1);
    read();
    await clock.advance(1);
    let answered: () => void = () => undefined;
    const answer = new Promise<void>((resolve) => {
      answered = resolve;
    });
    api.faults = { after: () => answer };
    await clock.advance(REST);
    readings.take(cell, { namespace: 'shop', name: 'a' }, scaleOf(put(5, 1)));
    expect(read().map(shown)).toEqual([[5, 1]]);
    answered();
    await clock.advance(1);
    expect(read().map(shown)).toEqual([[5, 1]]);
  });

  it('a scale is read at once when a write found it changed', async () => {
    const { clock, put, read, readings } = setUp();
    put(1);
    read();
    await clock.advance(1);
    put(4);
    readings.markOutdated(cell, { namespace: 'shop', name: 'a' });
    await clock.advance(1);
    expect(read().map(shown)).toEqual([[4, 4]]);
  });
});

describe('a kind', () => {
  it.each<[string, readonly ServedResource[], string]>([
    ['that is not served', [], 'the API server does not serve example.org/v1/Cell'],
    [
      'without scale subresource',
      [resource('cellae', 'Cell')],
      'example.org/v1/Cell has no scale subresource',
    ],
    [
      'of the whole cluster',
      scalable.map((it) => ({ ...it, namespaced: false })),
      'objects of example.org/v1/Cell have no namespace',
    ],
  ])('a kind %s is explained, and found when that changes', async (_, served, words) => {
    const { clock, api, put, read } = setUp();
    put(1);
    api.served = served;
    read();
    await clock.advance(REST - 1);
    expect(read().map(shown)).toEqual([words]);
    api.served = scalable;
    await clock.advance(REST);
    expect(read().map(shown)).toEqual([[1, 1]]);
  });

  it('a kind that is defined anew is found under its new name', async () => {
    const { clock, api, put, read } = setUp();
    put(1);
    read();
    await clock.advance(REST);
    api.store.remove(cell, { namespace: 'shop', name: 'a' });
    api.served = [resource('cells', 'Cell'), resource('cells/scale', 'Scale')];
    api.store.put({ ...cell, plural: 'cells' }, { namespace: 'shop', name: 'a' }, { spec: {} });
    await clock.advance(2 * REST);
    expect(read()).toMatchObject([{ state: 'found', kind: { plural: 'cells' } }]);
  });

  it('a missing kind is looked for once for many objects', async () => {
    const { clock, api, read, asked } = setUp();
    api.served = [];
    read(Array.from({ length: 20 }, (_, index) => refTo(`cell-${index}`)));
    await clock.advance(1_000);
    expect(asked()).toHaveLength(0);
    expect(api.calls).toHaveLength(1);
  });
});

describe('an object', () => {
  it.each(['nowhere', '..', 'a/b'])('an object with the name %s is missing', async (name) => {
    const { clock, read, asked } = setUp();
    read([refTo(name)]);
    await clock.advance(1);
    expect(read([refTo(name)]).map(shown)).toEqual(['missing']);
    expect(asked()).toHaveLength(name === 'nowhere' ? 1 : 0);
  });

  it('an object that may not be read is explained in the words of the server, and read when it may be', async () => {
    const { clock, api, put, read } = setUp();
    put(1);
    api.faults = {
      before: ({ subresource }) => {
        if (subresource === 'scale') throw new KubeError('Forbidden', 'no rights on cellae/scale');
      },
    };
    read();
    await clock.advance(1);
    const words = 'cannot read its scale: no rights on cellae/scale';
    expect(read().map(shown)).toEqual([words]);
    api.faults = {};
    await clock.advance(REST);
    expect(read().map(shown)).toEqual([[1, 1]]);
  });

  it('an object keeps its scale through a short outage, and a long one is reported until it is over', async () => {
    const { clock, api, put, read, told } = setUp();
    put(1);
    read();
    await clock.advance(1);
    const outage = {
      before: () => {
        throw new KubeError('Unavailable', 'the webhook is away');
      },
    };
    api.faults = outage;
    await clock.advance(REST + 50_000);
    expect(read().map(shown)).toEqual([[1, 1]]);
    await clock.advance(20_000);
    expect(read().map(shown)).toEqual(['cannot read its scale: the webhook is away']);
    expect(told).toEqual(['a found', 'a refused']);
    api.faults = {};
    await clock.advance(5_000);
    expect(read().map(shown)).toEqual([[1, 1]]);
  });

  it('an object that was never read is waited for, but not for ever', async () => {
    const { clock, api, put, read } = setUp();
    put(1);
    api.faults = { before: hang };
    read();
    await clock.advance(9_999);
    expect(read().map(shown)).toEqual(['pending']);
    await clock.advance(5_001);
    expect(read().map(shown)).toEqual(['cannot read its scale: no answer in time']);
  });
});

describe('a server that is slow', () => {
  it('a server that hangs delays no object of another kind, and has at most eight requests', async () => {
    const { clock, api, read } = setUp();
    api.served = [...scalable, resource('things', 'Thing'), resource('things/scale', 'Scale')];
    const thing = { ...other, plural: 'things', namespaced: true };
    api.store.put(thing, { namespace: 'n0', name: 'b' }, { spec: { replicas: 2 } });
    let [underWay, most] = [0, 0];
    const hanging = async (): Promise<void> => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise<void>((resolve) => void clock.after(5_000, resolve));
      underWay -= 1;
      throw new KubeError('Timeout', 'no answer in time');
    };
    api.faults = {
      before: ({ kind, subresource }) =>
        subresource === 'scale' && kind.kind === 'Cell' ? hanging() : undefined,
    };
    for (let n = 0; n < 20; n += 1)
      read([refTo('a', `n${n}`), refTo('b', `n${n}`)], MOVING, `n${n}/group`);
    read([refTo('b', 'n0', other)], MOVING, 'n0/second');
    await clock.advance(1);
    expect(read([refTo('b', 'n0', other)], MOVING, 'n0/second').map(shown)).toEqual([[2, 0]]);
    await clock.advance(60_000);
    expect(most).toBe(8);
  });

  it('a server has one request of a namespace under way at a time', async () => {
    const { clock, api, read } = setUp();
    let [underWay, most] = [0, 0];
    api.faults = {
      before: async () => {
        underWay += 1;
        most = Math.max(most, underWay);
        await new Promise<void>((resolve) => void clock.after(500, resolve));
        underWay -= 1;
      },
    };
    read(
      Array.from({ length: 10 }, (_, index) => refTo(`cell-${index}`)),
      MOVING,
    );
    await clock.advance(30_000);
    expect(most).toBe(1);
  });

  it('a server that hangs does not hold up the end of the operator', async () => {
    const { clock, api, put, read, readings } = setUp();
    put(1);
    api.faults = { before: hang };
    read();
    await clock.advance(1);
    readings.stop();
    await clock.advance(1);
    expect(clock.pending).toBe(0);
  });
});
