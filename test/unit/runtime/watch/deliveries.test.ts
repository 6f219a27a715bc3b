// Does a listener that throws get the change again, a few times, and is it logged when the change
// is given up?
import { describe, expect, it } from '@jest/globals';
import { kinds } from '../../../../src/api/kinds.ts';
import type { KubeObject } from '../../../../src/api/objects.ts';
import type { Change } from '../../../../src/runtime/client/api.ts';
import { Deliveries } from '../../../../src/runtime/watch/deliveries.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

const object = (name: string, version: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'n', name, resourceVersion: version },
});
const changed = (name: string, version: string): Change => ({
  type: 'MODIFIED',
  object: object(name, version),
});

function setUp() {
  const clock = new VirtualClock();
  const told: string[] = [];
  const errors: string[] = [];
  const faults = { first: (_: string): boolean => false, slim: false };
  const listener =
    (name: string) =>
    ({ type, object: { metadata } }: Change): void => {
      if (name === 'first' && faults.first(metadata.name)) throw new Error('a mistake');
      const version = metadata.resourceVersion ?? '';
      told.push(`${name} ${type} ${metadata.name} ${version} at ${clock.monotonic()}`);
    };
  const deliveries = new Deliveries({
    kind: kinds.ConfigMap,
    clock,
    listeners: [listener('first'), listener('second')],
    slim: (whole) => {
      if (faults.slim) throw new Error('too large');
      return whole;
    },
    onError: (message) => errors.push(message),
  });
  return { clock, told, errors, faults, deliveries };
}

const refused = 'ConfigMap n/a: cannot process the change: Error: a mistake';

describe('a listener that throws', () => {
  it('a listener that throws gets the change again, alone, after growing pauses', async () => {
    const { clock, told, errors, faults, deliveries } = setUp();
    let failures = 0;
    faults.first = () => {
      failures += 1;
      return failures < 3;
    };
    deliveries.deliver(changed('a', '7'));
    expect(deliveries.undelivered).toEqual([]);
    await clock.advance(60_000);
    expect(told).toEqual(['second MODIFIED a 7 at 0', 'first MODIFIED a 7 at 6000']);
    expect(errors).toEqual([refused]);
    expect(clock.pending).toBe(0);
  });

  it('a listener that throws gets only the last change, also when it failed in an earlier one', async () => {
    const { clock, told, faults, deliveries } = setUp();
    faults.first = () => clock.monotonic() < 100;
    deliveries.deliver(changed('a', '7'));
    await clock.advance(50);
    deliveries.deliver({ type: 'DELETED', object: object('a', '8') });
    await clock.advance(60_000);
    expect(told.filter((it) => it.startsWith('first'))).toEqual(['first DELETED a 8 at 1050']);
  });

  it('a listener gets no earlier change after a later one', async () => {
    const { clock, told, faults, deliveries } = setUp();
    faults.first = () => clock.monotonic() < 100;
    deliveries.deliver(changed('a', '7'));
    await clock.advance(200);
    deliveries.deliver(changed('a', '8'));
    await clock.advance(60_000);
    expect(told.filter((it) => it.startsWith('first'))).toEqual(['first MODIFIED a 8 at 200']);
  });

  it('a listener gets a change five times at most: then the object is outdated until it changes', async () => {
    const { clock, errors, faults, deliveries } = setUp();
    let failures = 0;
    faults.first = () => {
      failures += 1;
      return failures <= 5;
    };
    deliveries.deliver(changed('a', '7'));
    await clock.advance(10 * 60_000);
    expect(failures).toBe(5);
    expect(deliveries.undelivered).toEqual(['ConfigMap n/a']);
    expect(errors).toEqual([
      refused,
      'ConfigMap n/a: cannot process the change, giving up; the cached object is outdated until it changes again: Error: a mistake',
    ]);
    expect(clock.pending).toBe(0);
    deliveries.deliver(changed('a', '8'));
    expect(deliveries.undelivered).toEqual([]);
  });

  it('a listener that throws delays no other object, and no other listener', async () => {
    const { clock, told, faults, deliveries } = setUp();
    faults.first = (name) => name === 'a';
    deliveries.deliver(changed('a', '7'));
    deliveries.deliver(changed('b', '8'));
    await clock.advance(0);
    expect(told).toEqual([
      'second MODIFIED a 7 at 0',
      'first MODIFIED b 8 at 0',
      'second MODIFIED b 8 at 0',
    ]);
    deliveries.stop();
    expect(clock.pending).toBe(0);
  });

  it('a listener that always throws makes the operator keep a bounded number of changes', async () => {
    const { clock, faults, deliveries } = setUp();
    faults.first = () => true;
    for (let index = 0; index < 1_500; index += 1) deliveries.deliver(changed(`a${index}`, '7'));
    expect(clock.pending).toBe(100);
    expect(deliveries.undelivered).toHaveLength(1_000);
    deliveries.stop();
  });
});

it('an object that cannot be cut to its kept parts is tried again like others', async () => {
  const { clock, told, faults, deliveries } = setUp();
  faults.slim = true;
  deliveries.deliver(changed('a', '7'));
  expect(told).toEqual([]);
  faults.slim = false;
  await clock.advance(1_000);
  expect(told).toEqual(['first MODIFIED a 7 at 1000', 'second MODIFIED a 7 at 1000']);
});
