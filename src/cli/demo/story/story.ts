// What happens in the demo, step by step, and what has to be true after each?
import { listed } from '../../../core/meta.ts';
import type { Sight } from '../cluster/sight.ts';
import { movesBetween, ownersIn } from '../judge/moves.ts';
import { describe, type Expected, verify } from '../judge/verify.ts';
import type { Stage } from '../stage.ts';

export type Step = {
  readonly title: string;
  /** Every stream of the list at exactly one of so many workers. */
  readonly expected: Expected;
  readonly act: (stage: Stage) => Promise<void>;
  /** What is not as it should be besides. */
  readonly also?: (now: Sight, before: Sight) => readonly string[];
};

const VICTIM = 'swarm-worker-1';

export function storyOf(streams: readonly string[], isLocal: boolean): readonly Step[] {
  const death = isLocal ? 'SIGKILL' : 'pod deleted';
  const edited = [...streams.slice(1), 'stream:weather:new', 'stream:latenight:new'];
  const editedAgain = [...edited.slice(2), 'stream:opera:new', 'stream:chess:new', 'stream:surf:new'];
  return [
    {
      title: `${streams.length} streams dealt out to 3 workers`,
      expected: { streams, workers: 3 },
      act: (stage) => stage.applySample(),
    },
    { title: 'scaled from 3 to 5 workers', expected: { streams, workers: 5 }, act: (stage) => stage.scale(5) },
    { title: 'scaled back from 5 to 3 workers', expected: { streams, workers: 3 }, act: (stage) => stage.scale(3) },
    {
      title: `${VICTIM} killed (${death}), back again`,
      expected: { streams, workers: 3 },
      act: (stage) => stage.killWorker(VICTIM),
      also: (now, before) => [...stillToComeBack(VICTIM, now, before), ...unlikeBefore(now, before)],
    },
    { title: 'list edited: 1 stream removed, 2 added', expected: { streams: edited, workers: 3 }, act: (stage) => stage.edit(edited) },
    {
      title: 'operator killed amid an edit, restarted',
      expected: { streams: editedAgain, workers: 3 },
      act: (stage) => killOperatorAmid(stage, editedAgain),
    },
  ];
}

function stillToComeBack(name: string, now: Sight, before: Sight): readonly string[] {
  const podIn = (sight: Sight) => sight.workers.find((worker) => worker.name === name)?.pod;
  const [pod, earlier] = [podIn(now), podIn(before)];
  const isAnew = pod !== undefined && earlier !== undefined && (pod.uid !== earlier.uid || pod.restarts > earlier.restarts);
  return isAnew && pod.isReady ? [] : [`${name} has not come back yet`];
}

function unlikeBefore(now: Sight, before: Sight): readonly string[] {
  const { moved } = movesBetween(ownersIn(before), ownersIn(now));
  return [
    ...(moved.length === 0 ? [] : [`moved, although nobody left: ${listed(moved)}`]),
    ...(now.version === before.version ? [] : [`version ${now.version} instead of ${before.version}, although nothing was to change`]),
  ];
}

/** The change is known to the API server, and at most half carried out. */
async function killOperatorAmid(stage: Stage, streams: readonly string[]): Promise<void> {
  const { operator } = stage.cluster;
  await stage.edit(streams);
  await operator.kill();
  const before = new Set(ownersIn(stage.sight).keys());
  const lost = verify(await stage.look(), { streams: streams.filter((stream) => before.has(stream)), workers: 3 });
  const ofStreams = lost.filter(({ what }) => what === 'Missing' || what === 'Doubled');
  if (ofStreams.length > 0) throw new Error(`the workers did not go on without the operator: ${describe(ofStreams).join('; ')}`);
  await operator.start();
}
