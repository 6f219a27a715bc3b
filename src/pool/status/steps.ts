// How are the status and the events of a pool written?
import { kinds } from '../../api/kinds.ts';
import type { SwarmPoolStatus } from '../../api/validate.ts';
import type { EventText, Step } from '../../core/decision.ts';
import { ownEventStep, ownStatusSteps } from '../../core/own-status.ts';
import type { PoolWorld } from '../world.ts';
import { statusEvents } from './events.ts';

type OfPool = Pick<PoolWorld, 'pool'>;

export const statusSteps = ({ pool }: OfPool, status: SwarmPoolStatus): readonly Step[] =>
  ownStatusSteps(kinds.SwarmPool, pool, status, statusEvents);

export const eventStep = ({ pool }: OfPool, event: EventText): Step =>
  ownEventStep(kinds.SwarmPool, pool.meta, event);
