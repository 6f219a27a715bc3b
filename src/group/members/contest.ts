// Does a user or a tool scale this member, too? Only what the group itself has set counts, and only
// when it is found changed while the member was free.
import { type Kind, kinds } from '../../api/kinds.ts';
import { isContested, recentChanges } from '../../core/contest.ts';
import type { Reason } from '../../core/reason.ts';
import type { ConflictReason } from '../reasons.ts';
import type { RememberedMember, Scalable } from '../world.ts';

/** `isOurs`: the member is free, and the group is not paused. */
export function rememberedNow(
  before: RememberedMember | undefined,
  { uid, replicas }: Scalable,
  isOurs: boolean,
  nowMs: number,
): RememberedMember {
  if (before === undefined || before.uid !== uid)
    return { uid, own: [], isInForce: false, changedMs: [] };
  const { own, asked } = before;
  const isOwn = own.includes(replicas);
  const isChanged = before.isInForce && isOurs && !isOwn;
  const changedMs = recentChanges([...before.changedMs, ...(isChanged ? [nowMs] : [])], nowMs);
  return {
    uid,
    own,
    isInForce: isOurs && isOwn,
    changedMs,
    ...(asked !== undefined && asked.replicas !== replicas && { asked }),
  };
}

export function contest(
  servedAt: Kind | undefined,
  remembered: RememberedMember | undefined,
): Reason<ConflictReason> | undefined {
  const { changedMs = [] } = remembered ?? {};
  if (!isContested(changedMs)) return undefined;
  const isPool = servedAt?.group === kinds.SwarmPool.group;
  const field = isPool ? 'spec.workers.replicas' : 'spec.replicas';
  const message = `another writer changed its replicas ${changedMs.length} times within ten minutes: remove ${field} from its manifest, or the member from the group`;
  return { reason: 'ReplicasConflict', message };
}
