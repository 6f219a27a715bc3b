// Did a user change where streams are: by a cordon, by its end, or by a pin?
import { hasJobs, placedIn } from '../../api/assignment.ts';
import type { ChangeReason } from '../reasons.ts';
import type { PoolWorker } from '../workers/workers.ts';
import type { PublishInput } from './publication.ts';
import { cordonedIn } from './published.ts';

export function reasonByHand(input: PublishInput): ChangeReason | undefined {
  const { workers, world } = input;
  if (workers.some((worker) => worker.isCordoned && losesAny(worker, input)))
    return 'WorkerCordoned';
  const cordoned = new Set(cordonedIn(world.published.shards));
  const isFilled = ({ name, ordinal, isCordoned, before }: PoolWorker): boolean =>
    !isCordoned && cordoned.has(ordinal) && !hasJobs(before) && placesOf(input, name).length > 0;
  if (workers.some(isFilled)) return 'WorkerUncordoned';
  return followsPin(input) ? 'StreamPinned' : undefined;
}

const placesOf = ({ wanted, suspended }: PublishInput, worker: string): readonly string[] => [
  ...(wanted.get(worker) ?? []),
  ...(suspended.get(worker) ?? []),
];

function losesAny({ name, before }: PoolWorker, input: PublishInput): boolean {
  if (!hasJobs(before)) return false;
  const kept = new Set(placesOf(input, name));
  return before !== undefined && placedIn(before).some((stream) => !kept.has(stream));
}

/** From the worker that has it to the one that its ordinal names. */
function followsPin(input: PublishInput): boolean {
  const pins = new Map(
    input.checked.streams.flatMap(({ name, ordinal }) =>
      ordinal === undefined ? [] : [[name, ordinal] as const],
    ),
  );
  if (pins.size === 0) return false;
  const isElsewhere = (stream: string, ordinal: number): boolean =>
    pins.has(stream) && pins.get(stream) !== ordinal;
  const elsewhere = new Set(
    input.workers.flatMap(({ before, ordinal }) =>
      before === undefined ? [] : placedIn(before).filter((name) => isElsewhere(name, ordinal)),
    ),
  );
  return input.workers.some(({ name, ordinal }) =>
    placesOf(input, name).some((it) => elsewhere.has(it) && pins.get(it) === ordinal),
  );
}
