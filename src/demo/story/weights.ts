// Steps about streams that reserve a share of a worker, or a whole one.
import { listed } from '../../core/text.ts';
import { streamsOf, type WorkerObservation } from '../cluster/observation.ts';
import { edit } from './commands.ts';
import type { Judgement, Scene, StoryStep } from './step.ts';

const FINAL = 'stream:cupfinal';
const DERBY = 'stream:derby';
const ELECTION = 'stream:election';

export function weightSteps(streams: readonly string[]): readonly StoryStep[] {
  const reserved = [...streams, FINAL, DERBY];
  return [
    {
      title: 'Two streams reserve 60 % of a worker each',
      about:
        'No worker has room for both. Streams that reserve nothing (best effort) run next to them.',
      expected: { streams: reserved, workers: 3 },
      act: (stage) => stage.run(...edit('tv', [FINAL, DERBY].map(heavy))),
      also: (scene) => besideBestEffort(scene, [FINAL, DERBY]),
    },
    {
      title: 'A stream gets a worker of its own',
      about:
        'Its weight is 100, the whole capacity of a worker: the other streams leave that worker.',
      expected: { streams: [...reserved, ELECTION], workers: 3 },
      act: (stage) => stage.run(...edit('tv', [{ add: { name: ELECTION, weight: 100 } }])),
      also: (scene) => ownWorker(scene, ELECTION),
    },
  ];
}

const heavy = (name: string) => ({ add: { name, weight: 60 } });

const runnerOf = ({ now }: Scene, stream: string): WorkerObservation | undefined =>
  now.workers.find((worker) => streamsOf(worker).includes(stream));

const countAt = (worker: WorkerObservation | undefined): number =>
  worker === undefined ? 0 : streamsOf(worker).length;

function besideBestEffort(scene: Scene, heavy: readonly string[]): Partial<Judgement> {
  const runners = heavy.map((stream) => ({ stream, worker: runnerOf(scene, stream) }));
  const alone = runners.filter(({ worker }) => countAt(worker) === 1).map(({ stream }) => stream);
  const homes = new Set(runners.map(({ worker }) => worker?.name));
  return {
    problems: [
      ...(homes.size === heavy.length
        ? []
        : [`not on ${heavy.length} different workers: ${listed(heavy)}`]),
      ...(alone.length === 0 ? [] : [`without best-effort streams next to them: ${listed(alone)}`]),
    ],
    seen: runners.map(
      ({ stream, worker }) =>
        `${stream} (60) runs on ${worker?.name}, next to ${countAt(worker) - 1} best-effort streams`,
    ),
  };
}

function ownWorker(scene: Scene, stream: string): Partial<Judgement> {
  const worker = runnerOf(scene, stream);
  const before = scene.before?.workers.find(({ name }) => name === worker?.name);
  return {
    problems:
      countAt(worker) === 1 ? [] : [`${stream} is not alone on ${worker?.name ?? 'any worker'}`],
    seen: [`${countAt(before)} streams left ${worker?.name}, which now runs only ${stream}`],
  };
}
