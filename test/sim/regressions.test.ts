// Does each story that once failed pass now?
import { describe, expect, it } from '@jest/globals';
import { printed } from './print.ts';
import { regressions } from './regressions/regressions.ts';
import { run } from './run.ts';

describe('regressions', () => {
  it.each(regressions.map(({ was, story }) => [was, story] as const))(
    'a story that once failed passes: %s',
    async (_, story) => {
      const result = await run(story);
      expect(result.violation === undefined ? '' : printed(story, result)).toBe('');
      expect(result.injected).toHaveLength(story.faults.length);
    },
  );
});
