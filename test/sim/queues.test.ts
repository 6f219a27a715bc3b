// Do stories about queues and jobs end well? A fixed seed, and the stories that failed before.
import { describe, expect, it } from '@jest/globals';
import { printed } from './print.ts';
import { queueStoryFor } from './queue/plan.ts';
import { run } from './run.ts';

const SEED = 1_000;
const STORIES = 20;

describe('queues and jobs in the simulated cluster', () => {
  it.each(Array.from({ length: STORIES }, (_, index) => SEED + index))(
    'a story about queues and jobs ends well: seed %i',
    async (seed) => {
      const story = queueStoryFor(seed);
      const result = await run(story);
      expect(result.violation === undefined ? '' : printed(story, result)).toBe('');
    },
  );

  it('the simulation runs a story about queues the same way each time', async () => {
    const [first, second] = [await run(queueStoryFor(SEED)), await run(queueStoryFor(SEED))];
    expect(withoutNames(second)).toEqual(withoutNames(first));
  });
});

/** The names of Events are random. */
const withoutNames = ({ chronicle }: Awaited<ReturnType<typeof run>>): readonly string[] =>
  chronicle.map(({ at, text }) => `${at} ${text.replace(/(create|patch) Event .*/, '$1 Event')}`);
