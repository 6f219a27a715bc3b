// Does the operator report two workers that run one stream? Here a broken worker does so on
// purpose.
import { describe, expect, it } from '@jest/globals';
import { printed } from './print.ts';
import { run } from './run.ts';
import type { Mode, Story } from './story/story.ts';

/** Workers that have confirmed are probed every half a minute. */
const SEEN_MS = 31_000;

const strayed = (mode: Mode, forMs: number): Story => ({
  seed: 7,
  shape: { mode, workers: 2, streams: 4 },
  hasStandby: false,
  actions: [{ do: 'stray', index: 1, stream: 's0', forMs, atMs: 100 }],
  faults: [],
});

describe('a worker that runs another worker’s stream', () => {
  it.each(['Exclusive', 'AtLeastOnce'] as const)(
    '%s: the operator reports a stream of two workers by its name, until one stops',
    async (mode) => {
      const story = strayed(mode, SEEN_MS);
      const result = await run(story);
      expect(result.violation === undefined ? '' : printed(story, result)).toBe('');
      expect(result.doubled).toEqual(['s0']);
    },
  );

  it('the operator does not report a second owner that stops before its next probe', async () => {
    expect((await run(strayed('Exclusive', 500))).doubled).toEqual([]);
  });
});
