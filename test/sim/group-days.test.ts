// Does a group stand ordinary days, those that users met first?
import { describe, expect, it } from '@jest/globals';
import { days } from './group/days/days.ts';
import { printed } from './print.ts';
import { run } from './run.ts';

describe('a group on an ordinary day', () => {
  it.each(days.map(({ says, story }) => [says, story] as const))(
    'on an ordinary day of a group: %s',
    async (_, story) => {
      const result = await run(story);
      expect(result.violation === undefined ? '' : printed(story, result)).toBe('');
    },
  );
});
