// Which reason does each waiting job have in its status? A reason that stays the same while other
// jobs come and go, so that an admission does not change thousands of statuses.
import { oneLine } from '../api/text.ts';
import type { DesiredQueues } from './desired-state.ts';
import { placedFirst } from './order/positions.ts';
import { needsUser, roomReasons } from './reasons.ts';
import { lastingText, type Waits } from './why.ts';
import type { JobVerdict } from './world.ts';

/** The number of jobs with the exact current reason: the first jobs of all that can start. */
const EXACT = 20;

const forRoom: ReadonlySet<string> = new Set(roomReasons);

/** The verdict on each job, by UID. `before` contains the verdicts of the last decision. */
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
