// Why would a stream change its worker? The first answer that holds.
import type { SwarmPoolStatus } from '../../api/validate.ts';
import type { DesiredState } from '../desired-state.ts';
import type { Move } from '../publish/moves.ts';
import type { Stream } from '../streams.ts';
import { hasJobs, type Member } from '../workers/members.ts';

type Whys = {
  /** In the supposed world. */
  readonly streams: ReadonlyMap<string, Stream>;
  readonly status: SwarmPoolStatus | undefined;
  readonly wasPublished: boolean;
  readonly first: DesiredState;
  readonly last: DesiredState;
};

export function whyOf(whys: Whys): (move: Move) => string {
  const members = new Map(whys.first.members.map((member) => [member.name, member]));
  const refused = new Map(whys.last.assigned.unassigned.map((it) => [it.name, it]));
  return ({ stream, from, to }) => {
    const entry = whys.streams.get(stream);
    if (to === undefined) {
      const refusal = refused.get(stream);
      if (entry === undefined) return 'it is not in the list any more';
      return refusal === undefined ? 'nobody has it yet' : `${refusal.reason}: ${refusal.message}`;
    }
    const taker = members.get(to);
    if (entry?.ordinal !== undefined && entry.ordinal === taker?.ordinal)
      return `it is pinned to ordinal ${entry.ordinal}`;
    if (from === undefined) return whyStarted(whys, stream);
    return (
      whyLeft(from, members.get(from)) ??
      whyTaken(whys.first.spec.workers.capacity, entry, to, taker)
    );
  };
}

function whyStarted({ wasPublished, status }: Whys, stream: string): string {
  if (!wasPublished) return 'nothing is published yet';
  const { unassigned = [], streams } = status ?? {};
  // Status names only the first of many.
  const isNamed =
    unassigned.some(({ name }) => name === stream) ||
    (streams?.unassigned ?? 0) > unassigned.length;
  return isNamed ? 'it had no worker' : 'it is new in the list';
}

function whyLeft(from: string, giver: Member | undefined): string | undefined {
  if (giver === undefined || !giver.isDesired) return `${from} goes`;
  if (giver.isCordoned) return `${from} is cordoned`;
  return giver.hasFailed ? `${from} has been away for too long` : undefined;
}

function whyTaken(
  capacity: number,
  entry: Stream | undefined,
  to: string,
  taker: Member | undefined,
): string {
  if (entry !== undefined && entry.weight >= capacity) return `${to} is to be its own worker`;
  if (taker !== undefined && !hasJobs(taker.before)) return `${to} joins and takes its part`;
  if (entry?.spreadGroup !== undefined)
    return `loads are made even, and group ${entry.spreadGroup} is kept apart`;
  return entry !== undefined && entry.weight > 0
    ? `loads are made even: it reserves ${entry.weight}`
    : 'numbers of streams are made even';
}
