// Which work runs on the one thread, when, and what waits for what?
import { expect, it } from '@jest/globals';
import { Abandoned, TurnScheduler } from '../../../../src/runtime/queue/turn-scheduler.ts';
import { settle, VirtualClock } from '../../../support/virtual-clock.ts';

/** Work takes time only here: each piece moves the clock on. */
function setUp() {
  const virtual = new VirtualClock();
  let workedMs = 0;
  const clock = {
    now: () => virtual.now(),
    monotonic: () => virtual.monotonic() + workedMs,
    after: virtual.after.bind(virtual),
  };
  const turns: (() => void)[] = [];
  const scheduler = new TurnScheduler({ clock, soon: (run) => void turns.push(run) });
  const done: string[] = [];
  function* pieces(name: string, ...durations: readonly number[]): Generator<void, string> {
    for (const duration of durations) {
      workedMs += duration;
      done.push(name);
      yield;
    }
    return name;
  }
  /** Turns the event loop until no work waits for it. */
  const goRound = async (most = 1_000): Promise<void> => {
    await settle();
    for (let round = 0; round < most && turns.length > 0; round += 1) {
      turns.shift()?.();
      await settle();
    }
  };
  return { virtual, scheduler, done, pieces, goRound };
}

it('short work runs at once, without a turn of the event loop', async () => {
  const { scheduler, pieces } = setUp();
  expect(await scheduler.run('a', pieces('a', 1, 1, 1))).toEqual({ value: 'a', workedMs: 3 });
});

it('long work lets the event loop turn after 10 ms', async () => {
  const { scheduler, done, pieces, goRound } = setUp();
  const work = scheduler.run('a', pieces('a', ...Array<number>(10).fill(4)));
  await settle();
  expect(done).toHaveLength(3);
  await goRound();
  expect(await work).toEqual({ value: 'a', workedMs: 40 });
});

it('a group waits for two pieces of each other group, however much work these have', async () => {
  const { scheduler, done, pieces, goRound } = setUp();
  const long = Array.from({ length: 20 }, () => scheduler.run('a', pieces('a', 10, 10, 10)));
  await settle();
  const other = scheduler.run('b', pieces('b', 10));
  await goRound(3);
  expect(done).toEqual(['a', 'a', 'a', 'b']);
  await goRound();
  await Promise.all([...long, other]);
  expect(done).toHaveLength(61);
});

it('many short pieces of work of one group let the event loop turn like one long one', async () => {
  const { scheduler, done, pieces, goRound } = setUp();
  const works = Array.from({ length: 10 }, () => scheduler.run('a', pieces('a', 4)));
  await settle();
  expect(done.length).toBeLessThan(5);
  await goRound();
  await Promise.all(works);
});

it('a piece that cannot be divided is charged to its group alone', async () => {
  const { virtual, scheduler, done, pieces, goRound } = setUp();
  scheduler.now('a', () => void [...pieces('watch event', 2_120)]);
  const works = [scheduler.run('a', pieces('a', 1)), scheduler.run('b', pieces('b', 1))];
  await goRound();
  expect(done).toEqual(['watch event', 'b']);
  await virtual.advance(990);
  await goRound();
  expect(done).toEqual(['watch event', 'b']);
  await virtual.advance(20);
  await goRound();
  expect(done).toEqual(['watch event', 'b', 'a']);
  await Promise.all(works);
});

it('abandoned work stops, whether it waits or has yet to start', async () => {
  const { scheduler, done, pieces, goRound } = setUp();
  const works = [
    scheduler.run('a', pieces('a', 10, 10)),
    scheduler.run('a', pieces('a', 10, 10)),
    scheduler.run('b', pieces('b', 10)),
  ];
  const ends = Promise.allSettled(works);
  await settle();
  scheduler.abandon();
  await goRound();
  expect((await ends).map((end) => (end.status === 'rejected' ? end.reason : end.value))).toEqual([
    expect.any(Abandoned),
    expect.any(Abandoned),
    expect.any(Abandoned),
  ]);
  expect(done.length).toBeLessThan(5);
  const next = scheduler.run('c', pieces('c', 1));
  await goRound();
  expect((await next).value).toBe('c');
});

it('work of another kind on the same thread is not abandoned with it', async () => {
  const { scheduler, done, pieces, goRound } = setUp();
  const other = scheduler.beside();
  const works = [
    scheduler.run('a', pieces('a', 10, 10)),
    scheduler.run('a', pieces('a', 10, 10)),
    scheduler.run('b', pieces('b', 10, 10)),
    other.run('a', pieces('other', 10, 10)),
    other.run('c', pieces('other', 10, 10, 10)),
  ];
  const ends = Promise.allSettled(works);
  await goRound(2);
  scheduler.abandon();
  await goRound();
  expect((await ends).map(({ status }) => status)).toEqual([
    ...Array(3).fill('rejected'),
    ...Array(2).fill('fulfilled'),
  ]);
  expect(done.filter((name) => name === 'other')).toHaveLength(5);
});

it('work that is abandoned just at its turn does nothing', async () => {
  const { scheduler, done, pieces, goRound } = setUp();
  const work = scheduler.run('a', pieces('a', 1));
  scheduler.abandon();
  await expect(work).rejects.toThrow(Abandoned);
  await goRound();
  expect(done).toEqual([]);
  expect((await scheduler.run('a', pieces('a', 1))).value).toBe('a');
});

it('one long work of a group and two in all are under way: the others wait after their first piece', async () => {
  const { scheduler, done, pieces, goRound } = setUp();
  const works = ['a', 'a', 'b', 'c'].map((group, index) =>
    scheduler.run(group, pieces(`${group}${index}`, 10, 10, 10, 10)),
  );
  await goRound();
  await Promise.all(works);
  const begun = (name: string, piece: number): number =>
    done.indexOf(name, done.indexOf(name) + piece);
  const ended = (name: string): number => done.lastIndexOf(name);
  expect(begun('a1', 1)).toBeGreaterThan(ended('a0'));
  expect(begun('c3', 1)).toBeGreaterThan(Math.min(ended('a0'), ended('b2')));
  expect(done).toHaveLength(16);
});

it('work that waits for other long work can be abandoned as well', async () => {
  const { scheduler, pieces, goRound } = setUp();
  const works = [1, 2, 3].map((index) => scheduler.run('a', pieces(`a${index}`, 10, 10, 10)));
  const ends = Promise.allSettled(works);
  await goRound(4);
  scheduler.abandon();
  await goRound();
  expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  const next = scheduler.run('a', pieces('next', 10, 10));
  await goRound();
  expect((await next).value).toBe('next');
});

it('work that is under way goes on although its group has used up its share', async () => {
  const { scheduler, done, pieces, goRound } = setUp();
  const long = ['a', 'b'].map((group) => scheduler.run(group, pieces(group, 10, 10, 10)));
  await goRound(1);
  for (const group of ['a', 'b']) scheduler.now(group, () => pieces('owed', 60_000).next());
  const other = scheduler.run('c', pieces('c', 10, 10));
  await goRound();
  expect(done.filter((name) => name !== 'owed')).toHaveLength(8);
  await Promise.all([...long, other]);
});

it('work on another thread is charged to its group, and delays no other group meanwhile', async () => {
  const { virtual, scheduler, done, pieces, goRound } = setUp();
  const elsewhere = () => Promise.resolve({ value: done.push('elsewhere'), workedMs: 3_000 });
  const works = [1, 2].map(() => scheduler.elsewhere('a', elsewhere));
  const other = scheduler.elsewhere('b', elsewhere);
  await scheduler.run('c', pieces('c', 1));
  await goRound();
  await other;
  expect(done.filter((name) => name === 'elsewhere')).toHaveLength(2);
  await virtual.advance(20_000);
  await goRound();
  await Promise.all(works);
});
