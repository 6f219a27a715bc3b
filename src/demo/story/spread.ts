// Steps about the even spread of streams while workers, the list and the operator change.
import { setTimeout as delay } from 'node:timers/promises';
import { listed } from '../../core/text.ts';
import { movesBetween, ownersIn } from '../checks/moves.ts';
import { describe, type Finding, verify } from '../checks/verify.ts';
import type { Observation } from '../cluster/observation.ts';
import type { Stage } from '../stage.ts';
import { edit, scale } from './commands.ts';
import type { StoryStep } from './step.ts';

const VICTIM = 'swarm-worker-1';
const ANSWERS_MS = 30_000;
const LOOK_MS = 100;

export function spreadSteps(streams: readonly string[]): readonly StoryStep[] {
  const edited = [...streams.slice(1), 'stream:weather:new', 'stream:latenight:new'];
  const editedAgain = [
    ...edited.slice(2),
    'stream:opera:new',
    'stream:chess:new',
    'stream:surf:new',
  ];
  return [
    {
      title: `${streams.length} streams for 3 workers`,
      about: 'Each stream must run on exactly one of them.',
      expected: { streams, workers: 3 },
      act: (stage) => stage.applySample(),
    },
    {
      title: 'Scale from 3 workers to 5',
      about: 'Workers give up the streams above their new share; no other stream moves.',
      expected: { streams, workers: 5 },
      act: (stage) => stage.run(...scale('statefulset/swarm-worker', 5)),
    },
    {
      title: 'Scale back from 5 workers to 3',
      about: 'The streams of the two removed workers move to the others.',
      expected: { streams, workers: 3 },
      act: (stage) => stage.run(...scale('statefulset/swarm-worker', 3)),
    },
    {
      title: 'A worker is killed',
      about:
        'It restarts with the same streams: no stream moves, and the operator publishes nothing.',
      expected: { streams, workers: 3 },
      act: (stage) => stage.killWorker(VICTIM),
      also: ({ now, before = now }) => ({
        problems: [...stillToComeBack(VICTIM, now, before), ...unlikeBefore(now, before)],
        seen: [`${VICTIM} was restarted`],
        verified: ['all streams are on the same workers, and the version is unchanged'],
      }),
    },
    {
      title: 'The list is edited: 1 stream removed, 2 added',
      about: 'Only the workers whose streams change get an update.',
      expected: { streams: edited, workers: 3 },
      act: (stage) =>
        stage.run(
          ...edit('tv', [{ remove: 0 }, ...edited.slice(-2).map((name) => ({ add: { name } }))]),
        ),
    },
    {
      title: 'The operator is killed in the middle of an edit',
      about:
        'Workers keep running. The next operator waits until the Lease of the killed one expires, and finishes the edit.',
      expected: { streams: editedAgain, workers: 3 },
      act: (stage) => killOperatorAmid(stage, editedAgain),
      also: () => ({
        verified: [
          'the workers were also probed while no operator was running: all of their streams kept running',
        ],
      }),
    },
  ];
}

function stillToComeBack(name: string, now: Observation, before: Observation): readonly string[] {
  const podIn = (observed: Observation) =>
    observed.workers.find((worker) => worker.name === name)?.pod;
  const [pod, earlier] = [podIn(now), podIn(before)];
  const isAnew =
    pod !== undefined &&
    earlier !== undefined &&
    (pod.uid !== earlier.uid || pod.restarts > earlier.restarts);
  return isAnew && pod.isReady ? [] : [`${name} has not restarted yet`];
}

function unlikeBefore(now: Observation, before: Observation): readonly string[] {
  const { moved } = movesBetween(ownersIn(before), ownersIn(now));
  return [
    ...(moved.length === 0 ? [] : [`moved although no worker left: ${listed(moved)}`]),
    ...(now.version === before.version
      ? []
      : [`version ${now.version} instead of ${before.version}, although nothing should change`]),
  ];
}

/** Kills the operator when the API server has the change, of which little is carried out yet. */
async function killOperatorAmid(stage: Stage, streams: readonly string[]): Promise<void> {
  const { operator } = stage.cluster;
  await stage.run(
    ...edit('tv', [
      { remove: 0 },
      { remove: 0 },
      ...streams.slice(-3).map((name) => ({ add: { name } })),
    ]),
  );
  await stage.perform(operator.kill());
  const before = new Set(ownersIn(stage.observed).keys());
  const lost = await lostOf(
    stage,
    streams.filter((stream) => before.has(stream)),
  );
  if (lost.length > 0)
    throw new Error(
      `the workers did not keep their streams without the operator: ${describe(lost).join('; ')}`,
    );
  await stage.perform({
    typed: 'npm start   # restarts the operator',
    run: () => operator.start(),
  });
}

/** Streams that run nowhere or twice. Workers that do not answer at once are asked again. */
async function lostOf(stage: Stage, streams: readonly string[]): Promise<readonly Finding[]> {
  const deadline = performance.now() + ANSWERS_MS;
  for (;;) {
    const findings = verify(await stage.look(), { streams, workers: 3 });
    const lost = findings.filter(({ what }) => what === 'Missing' || what === 'Doubled');
    if (lost.length === 0 || performance.now() > deadline) return lost;
    await delay(LOOK_MS);
  }
}
