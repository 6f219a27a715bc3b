// Steps about handing streams over: never two owners, and no worker ends with a stream.
import { drainOf } from '../checks/drain.ts';
import {
  handoversOf,
  handoversText,
  holdingsOf,
  overlapsOf,
  overlapText,
  recordsText,
  unlikeAnswers,
} from '../checks/holdings.ts';
import { scale } from './commands.ts';
import type { Judgement, Scene, StoryStep } from './step.ts';

const POOL = 'swarmpool/market';

export function handoverSteps(streams: readonly string[]): readonly StoryStep[] {
  return [
    {
      title: 'Another pool: no feed may be read twice at the same time',
      about:
        'Exclusive: the next owner starts a feed after the previous one has stopped it. Lead: the pool scales its workers.',
      expected: { streams, workers: 3 },
      act: (stage) => stage.applySample(),
      also: neverTwoOwners,
    },
    {
      title: 'Scale from 3 workers to 5, handing feeds over',
      about: 'The workers log every start and stop (kubectl logs); the demo checks these records.',
      expected: { streams, workers: 5 },
      act: (stage) => stage.run(...scale(POOL, 5)),
      also: async (scene) => {
        const judgement = await neverTwoOwners(scene);
        const isHandedOver = handoversOf(holdingsOf(scene.stage.logs)).length > 0;
        return {
          ...judgement,
          problems: [...judgement.problems, ...(isHandedOver ? [] : ['no feed was handed over'])],
        };
      },
    },
    {
      title: 'Scale from 5 workers to 2, emptying workers before they end',
      about:
        'kubectl scales the pool; the operator moves the feeds first, and then scales the StatefulSet.',
      expected: { streams, workers: 2 },
      act: (stage) => stage.run(...scale(POOL, 2)),
      also: async (scene) => both(await drained(scene), await neverTwoOwners(scene)),
    },
  ];
}

async function neverTwoOwners({ stage, now }: Scene): Promise<Judgement> {
  const holdings = holdingsOf(stage.logs);
  const handovers = handoversOf(holdings);
  return {
    problems: [...overlapsOf(holdings).map(overlapText), ...unlikeAnswers(holdings, now.workers)],
    seen: handovers.length === 0 ? [] : [handoversText(handovers)],
    verified: [`no feed ever had two owners, according to ${recordsText(holdings)}`],
  };
}

async function drained({ stage, before, askedAt }: Scene): Promise<Judgement> {
  const leaving = (before?.workers ?? []).map(({ name }) => name).slice(2);
  const scaling = (await stage.scalings()).find(({ at }) => at >= askedAt);
  const { problems, timeline } = drainOf({ logs: stage.logs, leaving, askedAt, scaling });
  return {
    problems,
    seen: timeline.map(({ ms, what }) => `after ${(ms / 1_000).toFixed(2)} s  ${what}`),
    verified: ['every leaving worker had stopped all its feeds before its SIGTERM'],
  };
}

const both = (a: Judgement, b: Judgement): Judgement => ({
  problems: [...a.problems, ...b.problems],
  seen: [...a.seen, ...b.seen],
  verified: [...a.verified, ...b.verified],
});
