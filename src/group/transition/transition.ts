// What does status say of a transition?
import type { SwarmGroupStatus } from '../../api/validate.ts';
import type { MemberRef } from '../world.ts';

export type Transition = NonNullable<SwarmGroupStatus['transition']>;

/** What a member had before it. */
export type Had = NonNullable<Transition['before']>[number];

export const isUnderWay = (transition: Transition | undefined): transition is Transition =>
  transition?.state === 'Scaling' || transition?.state === 'RollingBack';

export const hadIn = (
  transition: Transition | undefined,
  { kind, name }: MemberRef,
): Had | undefined => transition?.before?.find((it) => it.kind === kind && it.name === name);
