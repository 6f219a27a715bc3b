// Do stories that nobody has told before end well? Fresh seeds each time; a failure is shrunk, printed, and told again by its line.
import { describe, expect, it } from '@jest/globals';
import { printed } from './print.ts';
import { run } from './run.ts';
import { shrink } from './shrink.ts';
import { storyFor } from './story/plan.ts';

const RUNS = 250;
const seed = Number(process.env['SWARM_SIM_SEED'] ?? Date.now() % 1_000_000_000);

describe('the simulation', () => {
  it(`tells ${RUNS} stories from seed ${seed} (SWARM_SIM_SEED), and all end well`, async () => {
    const told: string[] = [];
    for (let count = 0; count < RUNS && told.length < 3; count += 1) {
      const story = storyFor(seed + count);
      const { violation } = await run(story);
      if (violation === undefined) continue;
      const shortest = await shrink(story, violation.oracle);
      told.push(printed(shortest.story, shortest.result));
    }
    expect(told.join('\n\n')).toBe('');
  }, 900_000);

  it('tells a story the same way each time', async () => {
    const first = await run(storyFor(seed));
    const second = await run(storyFor(seed));
    expect(withoutNames(second)).toEqual(withoutNames(first));
  });
});

/** Events have names of their own, that say nothing. */
const withoutNames = ({ chronicle }: Awaited<ReturnType<typeof run>>): readonly string[] =>
  chronicle.map(({ at, text }) => `${at} ${text.replace(/create Event .*/, 'create Event')}`);
