// What happens during a long decision, and when the operator loses leadership meanwhile?
import { expect, it } from '@jest/globals';
import { Thread } from '../../../../src/runtime/queue/thread.ts';
import { settle } from '../../../support/virtual-clock.ts';
import { setUp } from './trivial-controller.ts';

/** Each read of its clock costs 4 ms; the event loop turns when the test says so. */
function slowThread() {
  const rounds: (() => void)[] = [];
  const makeThread = (): Thread => {
    let at = 0;
    const monotonic = (): number => (at += 4);
    return new Thread({
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
  return { makeThread, goRound };
}

it('keys of another namespace are decided about during a long decision', async () => {
  const { makeThread, goRound } = slowThread();
  const { engine, want, hooks, timesOf } = setUp({ makeThread });
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
  const { makeThread, goRound } = slowThread();
  const { api, engine, want, hooks, logged } = setUp({ makeThread });
  hooks.pieces = 1_000;
  want('n/long', 1);
  engine.start();
  await goRound(3);
  await engine.pause();
  await goRound(10);
  expect([api.writes, logged]).toEqual([[], []]);
});

it('a long decision goes on when another kind abandons its own work on the shared thread', async () => {
  const { makeThread, goRound } = slowThread();
  const thread = makeThread();
  const { engine, want, hooks, timesOf } = setUp({ makeThread: () => thread.beside() });
  hooks.pieces = 10;
  want('n/long', 1);
  engine.start();
  await goRound(2);
  expect(timesOf('n/long')).toEqual([]);
  thread.abandon();
  await goRound(20);
  expect(timesOf('n/long')).toHaveLength(1);
  await engine.stop();
});
