// The tests of random stories about one kind. A failure is shrunk and printed with the command that
// repeats it.
import { describe, expect, it } from '@jest/globals';
import { printed } from './print.ts';
import { Random } from './random.ts';
import { run } from './run.ts';
import { shrink } from './shrink.ts';
import { cellsOf } from './story/plan.ts';
import { type AnyStory, faultNames } from './story/story.ts';

/** Time is virtual: how long it takes says only how busy the machine is. */
const WALL_MS = 900_000;
/** The same in each run, so that a change is judged by itself. `npm run sim` plays new stories. */
export const seed = Number(process.env['SWARM_SIM_SEED'] ?? 6_000);

type Subject = {
  readonly kind: string;
  readonly runs: number;
  readonly storyFor: (seed: number) => AnyStory;
  /** One for each state, in a mode that is picked. */
  readonly plains: (random: Random) => readonly AnyStory[];
};

export const describeStories = ({ kind, runs, storyFor: storyOf, plains }: Subject): void =>
  describe(`the simulation of ${kind}`, () => {
    it(
      `the simulation runs ${runs} stories from seed ${seed} (SWARM_SIM_SEED) without a violation`,
      async () => {
        const failures: string[] = [];
        for (let count = 0; count < runs && failures.length < 3; count += 1) {
          const story = storyOf(seed + count);
          const { violation } = await run(story);
          if (violation === undefined) continue;
          const shortest = await shrink(story, violation.oracle);
          failures.push(printed(shortest.story, shortest.result));
        }
        expect(failures.join('\n\n')).toBe('');
      },
      WALL_MS,
    );

    it(
      `each fault in each state, at a call that seed ${seed} picks, causes no violation`,
      async () => {
        const failures: string[] = [];
        const missed: string[] = [];
        const random = new Random(seed);
        for (const plain of plains(random)) {
          const beside: AnyStory = { ...plain, hasStandby: true };
          const cells = cellsOf(plain, {
            alone: (await run(plain)).calls,
            beside: (await run(beside)).calls,
          });
          for (const fault of faultNames) {
            const ofFault = cells.filter(({ faults: [placed] }) => placed?.fault === fault);
            // The operator makes no call where there is no work: a rollback before any pod was
            // replaced, for example.
            const story: AnyStory =
              ofFault.length > 0
                ? random.pick(ofFault)
                : { ...beside, faults: [{ fault, atMs: random.between(0, 2_000) }] };
            const result = await run(story);
            if (result.violation !== undefined) failures.push(printed(story, result));
            if (result.injected.length === 0) missed.push(JSON.stringify(story));
          }
        }
        expect(failures.slice(0, 3).join('\n\n')).toBe('');
        expect(missed).toEqual([]);
      },
      WALL_MS,
    );

    it('the simulation runs a story the same way each time', async () => {
      const first = await run(storyOf(seed));
      const second = await run(storyOf(seed));
      expect(withoutNames(second)).toEqual(withoutNames(first));
    });
  });

/** The names of Events are random. */
const withoutNames = ({ chronicle }: Awaited<ReturnType<typeof run>>): readonly string[] =>
  chronicle.map(({ at, text }) => `${at} ${text.replace(/(create|patch) Event .*/, '$1 Event')}`);
