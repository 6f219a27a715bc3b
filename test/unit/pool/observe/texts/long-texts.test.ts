// Are long texts read on another thread as they are on this one, and does a text that is too much
// for it harm no other?
import { afterAll, describe, expect, it } from '@jest/globals';
import { readAssignment, writeAssignment } from '../../../../../src/api/assignment.ts';
import type { ConfigMap } from '../../../../../src/api/observed.ts';
import { readStreamList } from '../../../../../src/api/stream-list.ts';
import { LongTexts, type Reader } from '../../../../../src/pool/observe/texts/long-texts.ts';
import { LONG, Readings } from '../../../../../src/pool/observe/texts/readings.ts';
import { TurnScheduler } from '../../../../../src/runtime/queue/turn-scheduler.ts';
import { names } from '../../../../integration/support/shape.ts';
import { VirtualClock } from '../../../../support/virtual-clock.ts';

const long = writeAssignment({
  workloads: new Map([['worker-0', { jobs: names(5_000, 'stream-'), version: 3 }]]),
  version: 3,
});
const list = names(5_000, 'stream-').join('\n');

describe('the thread for long texts', () => {
  const texts = new LongTexts();
  afterAll(() => texts.stop());

  it('a text that is read on the other thread gives the same result as on this one', async () => {
    expect(long.length).toBeGreaterThan(LONG);
    const [one, other] = await Promise.all([
      texts.assignment(long),
      texts.list(list, 'lineup/streams.txt'),
    ]);
    expect(one.value).toEqual(readAssignment(long));
    expect(one.workedMs).toBeGreaterThan(0);
    expect(other.value).toEqual(readStreamList(list, 'lineup/streams.txt'));
  });

  it('a wrong text is refused on the other thread in the same words', async () => {
    expect((await texts.assignment('workloads: [')).value).toEqual(readAssignment('workloads: ['));
    expect((await texts.list('- 1', 'lineup/x')).value).toEqual(readStreamList('- 1', 'lineup/x'));
  });
});

it('a text that exceeds the memory of its thread is refused, and the next is read on a new thread', async () => {
  const texts = new LongTexts(32);
  const marks = `[${'{},'.repeat(149_000)}]`;
  expect((await texts.list(marks, 'lineup/x')).value).toEqual({
    ok: false,
    problems: [{ field: 'lineup/x', message: 'it cannot be read within 32 MiB of memory' }],
  });
  expect((await texts.list('a', 'lineup/y')).value).toMatchObject({ ok: true });
  await texts.stop();
});

describe('the texts in ConfigMaps', () => {
  const asked: number[] = [];
  const reader: Reader = {
    assignment: (text) => {
      asked.push(text.length);
      return Promise.resolve({ value: readAssignment(text), workedMs: 1_000 });
    },
    list: (text, source) =>
      Promise.resolve({ value: readStreamList(text, source), workedMs: 1_000 }),
  };
  const of = (text: string): ConfigMap => ({
    name: 'tv',
    namespace: 'n',
    uid: 'u',
    resourceVersion: '1',
    labels: {},
    annotations: {},
    data: { text },
  });

  it('a long text goes to the other thread once, and a short one does not', async () => {
    const readings = new Readings(
      new TurnScheduler({ clock: new VirtualClock(), soon: setImmediate }),
      reader,
    );
    const configMap = of(long);
    const [one, other] = await Promise.all([
      readings.readAssignment(configMap, 'text'),
      readings.readAssignment(configMap, 'text'),
    ]);
    expect(one).toBe(other);
    expect(one).toMatchObject({ ok: true });
    await readings.readAssignment(of('workloads: {}\nversion: 1\n'), 'text');
    expect(asked).toEqual([long.length]);
  });
});
