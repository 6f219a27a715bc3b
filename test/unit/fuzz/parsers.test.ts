// Does each parser withstand 500 mutated inputs? `npm run fuzz` tries many more, guided by
// coverage.
import { describe, expect, it } from '@jest/globals';
import { Corpus } from '../../fuzz/corpus.ts';
import { findings } from '../../fuzz/findings.ts';
import { shrink } from '../../fuzz/shrink.ts';
import type { Target } from '../../fuzz/target.ts';
import { targets } from '../../fuzz/targets/all.ts';
import { tryInput } from '../../fuzz/try-input.ts';
import { Random } from '../../sim/random.ts';
import { tries } from '../../support/tries.ts';

const INPUTS = tries(500);
const SEED = 13;
/** `npm run fuzz` also tries longer inputs, which take longer. */
const LONGEST = 4_096;

/** Undefined, or the finding with the shortest input that shows it. */
async function brokenBy(target: Target, input: string): Promise<string | undefined> {
  const tried = await tryInput(target, input);
  if ('outcome' in tried) return undefined;
  const { kind, message } = tried.finding;
  const shortest = await shrink(input, async (shorter) => {
    const again = await tryInput(target, shorter);
    return 'finding' in again && again.finding.kind === kind;
  });
  return `${message}\n--only '${target.name}' --input '${JSON.stringify(shortest)}'`;
}

describe.each(targets.map((target) => [target.name, target] as const))(
  'the reader of %s',
  (_, target) => {
    it('a reader accepts at least a quarter of its seeds', async () => {
      const outcomes: string[] = [];
      for (const seed of target.seeds) outcomes.push(await target.check(seed));
      expect(outcomes.filter((outcome) => outcome.startsWith('ok')).length).toBeGreaterThanOrEqual(
        outcomes.length / 4,
      );
    });

    it('a reader withstands its seeds and all earlier findings', async () => {
      for (const input of [...target.seeds, ...findings(target.name)])
        expect(await brokenBy(target, input)).toBeUndefined();
    });

    it(`a reader withstands ${INPUTS} mutated inputs`, async () => {
      const corpus = new Corpus(
        { ...target, longest: LONGEST },
        new Random(SEED).fork(target.name),
        findings(target.name),
      );
      for (let count = 0; count < INPUTS; count += 1)
        expect(await brokenBy(target, corpus.next())).toBeUndefined();
    });
  },
);
