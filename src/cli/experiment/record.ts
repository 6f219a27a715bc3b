// What is recorded of a transition, and how does it stand in a CSV file?
import type { SwarmGroup } from '../../api/validate.ts';
import { memberNameOf } from '../group/members.ts';
import type { Order } from './held-group.ts';
import type { GroupTransition } from './outcome.ts';

export type ExperimentStep = {
  readonly group: string;
  readonly order: Order;
  /** From 1; undefined: a warm-up, which is not recorded. */
  readonly repeat: number | undefined;
  readonly from: number;
  readonly to: number;
};

export type Measurement = ExperimentStep & {
  readonly repeat: number;
  readonly isReached: boolean;
  /** Absent: not measured. */
  readonly patchMs?: number;
  readonly totalMs?: number;
  readonly members: readonly MemberTime[];
};

type MemberTime = {
  readonly member: string;
  readonly patchMs?: number;
  readonly readyMs?: number;
};

export function measurementOf(
  step: ExperimentStep & { readonly repeat: number },
  group: SwarmGroup,
  transition: GroupTransition | undefined,
  isReached: boolean,
): Measurement {
  const { times } = transition ?? {};
  const { totalMilliseconds: totalMs, patchMilliseconds: patchMs } = times ?? {};
  const measured = times?.members?.map(
    ({ kind, name, patchMilliseconds, readyMilliseconds }): MemberTime => ({
      member: memberNameOf({ kind, name }),
      ...(patchMilliseconds !== undefined && { patchMs: patchMilliseconds }),
      ...(readyMilliseconds !== undefined && { readyMs: readyMilliseconds }),
    }),
  );
  return {
    ...step,
    isReached,
    ...(isReached && totalMs !== undefined && { totalMs }),
    ...(patchMs !== undefined && { patchMs }),
    members: measured ?? moving(group, transition),
  };
}

/**
 * Where another leader took over, or the size was given up, their times are not known. Those that
 * have other replicas than before; after a rollback, all.
 */
function moving(
  { status }: SwarmGroup,
  transition: GroupTransition | undefined,
): readonly MemberTime[] {
  const members = status?.members ?? [];
  const moved = members.filter(({ kind, name, replicas }) =>
    transition?.before?.some(
      (had) => had.kind === kind && had.name === name && had.replicas !== replicas,
    ),
  );
  return (moved.length > 0 ? moved : members).map((member) => ({ member: memberNameOf(member) }));
}

/** The member that was ready last. */
export function slowestOf({ members }: Measurement): string | undefined {
  const known = members.filter(({ readyMs }) => readyMs !== undefined);
  return known.sort((a, b) => (b.readyMs ?? 0) - (a.readyMs ?? 0))[0]?.member;
}

export const csvHeader = 'group,from,to,order,repeat,member,patch_ms,ready_ms,total_ms';

/** A line for each member. Names of objects need no quotes. */
export const csvLines = (measurement: Measurement): readonly string[] => {
  const { group, from, to, order, repeat, members, totalMs = '' } = measurement;
  return members.map(({ member, patchMs = '', readyMs = '' }) =>
    [group, from, to, order, repeat, member, patchMs, readyMs, totalMs].join(),
  );
};
