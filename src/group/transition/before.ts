// What did each member have before a transition? A rollback goes back to it.
import type { SwarmGroup } from '../../api/validate.ts';
import type { FreeMember, Member, Transition } from '../members/members.ts';

export type Before = NonNullable<Transition['before']>;

/** Undefined: status does not have the member yet. */
type Had = { readonly member: FreeMember; readonly had: number | undefined };

/** What it had when status was written last. */
export const hadIn = ({ status }: SwarmGroup, { kind, name }: FreeMember): number | undefined =>
  status?.members?.find((it) => it.kind === kind && it.name === name)?.replicas;

/** By a leader that ended before it noted the transition. */
export const scaledAlready = ({ member: { kind, name, found, target }, had }: Had): Before =>
  had !== undefined && had !== target && found.replicas === target
    ? [{ kind, name, replicas: had }]
    : [];

/** A member that comes in mid-transition is added with what it has. */
export const withBefore = (before: Before, members: readonly Member[]): Before => [
  ...before,
  ...members.flatMap(({ kind, name, found }) =>
    found === undefined || before.some((it) => it.kind === kind && it.name === name)
      ? []
      : [{ kind, name, replicas: found.replicas }],
  ),
];
