// What happens during a long decision, and when the operator loses leadership meanwhile?
import { expect, it } from '@jest/globals';
import { TurnScheduler } from '../../../../src/runtime/queue/turn-scheduler.ts';
import { settle } from '../../../support/virtual-clock.ts';
import { setUp } from './trivial-controller.ts';

/** Each read of its clock costs 4 ms; the event loop turns when the test says so. */
function slowScheduler() {
  const rounds: (() => void)[] = [];
  const makeScheduler = (): TurnScheduler => {
    let at = 0;
    const monotonic = (): number => (at += 4);
    return new TurnScheduler({
      clock: { now: () => 0, monotonic, after: () => () => undefined },
      soon: (run) => void rounds.push(run),
    });
  };
  const goRound = async (times: number): Promise<void> => {
    for (let round = 0; round < times; round += 1) {
      rounds.shift()?.();
      await settle();
    }
  };
  return { makeScheduler, goRound };
}

it('keys of another namespace are decided about during a long decision', async () => {
  const { makeScheduler, goRound } = slowScheduler();
  const { engine, want, hooks, timesOf } = setUp({ makeScheduler });
  hooks.pieces = 1_000;
  want('n/long', 1);
  engine.start();
  await goRound(3);
  hooks.pieces = 1;
  want('other/short', 1);
  await goRound(3);
  expect([timesOf('other/short').length > 0, timesOf('n/long')]).toEqual([true, []]);
  await engine.stop();
});

it('leadership ends without waiting for a long decision, which then writes nothing', async () => {
  const { makeScheduler, goRound } = slowScheduler();
  const { api, engine, want, hooks, logged } = setUp({ makeScheduler });
  hooks.pieces = 1_000;
  want('n/long', 1);
  engine.start();
  await goRound(3);
  await engine.pause();
  await goRound(10);
  expect([api.writes, logged]).toEqual([[], []]);
});

it('a long decision goes on when another kind abandons its own work on the shared thread', async () => {
  const { makeScheduler, goRound } = slowScheduler();
  const scheduler = makeScheduler();
  const { engine, want, hooks, timesOf } = setUp({ makeScheduler: () => scheduler.beside() });
  hooks.pieces = 10;
  want('n/long', 1);
  engine.start();
  await goRound(2);
  expect(timesOf('n/long')).toEqual([]);
  scheduler.abandon();
  await goRound(20);
  expect(timesOf('n/long')).toHaveLength(1);
  await engine.stop();
});
