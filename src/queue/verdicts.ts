// Which reason does each waiting job have in its status? One that stays the same while other jobs
// come and go: an admission does not change the status of thousands of jobs.
import { oneLine } from '../api/text.ts';
import type { DesiredQueues } from './desired-state.ts';
import { placedFirst } from './order/positions.ts';
import { needsUser, roomReasons } from './reasons.ts';
import { lastingText, type Waits } from './why.ts';
import type { JobVerdict } from './world.ts';

/** So many jobs, those that go first of all that can start, have the exact reason of the moment. */
const EXACT = 20;

const forRoom: ReadonlySet<string> = new Set(roomReasons);

/** The verdict on each job, by UID. `before` has those of the last decision. */
export function verdictsOf(
  { waiting, pass }: Pick<DesiredQueues, 'pass' | 'waiting'>,
  before: ReadonlyMap<string, JobVerdict>,
): ReadonlyMap<string, JobVerdict> {
  return new Map(
    placedFirst(waiting, pass.waiting).map(({ uid, name }, position) => {
      const waits = pass.waiting.get(uid);
      const last = before.get(uid);
      const isKept = waits === undefined || (position >= EXACT && isSameSort(waits, last));
      return [uid, isKept && last !== undefined ? last : verdictOf(name, waits)];
    }),
  );
}

const isSameSort = ({ reason }: Waits, last: JobVerdict | undefined): boolean =>
  last !== undefined && forRoom.has(reason) && forRoom.has(last.reason);

const verdictOf = (name: string, waits: Waits | undefined): JobVerdict => ({
  name,
  isStalled: needsUser(waits?.reason ?? ''),
  reason: waits?.reason ?? '',
  message: waits === undefined ? '' : oneLine(lastingText(waits)),
});
