// What keeps a queue from admitting any job?
import type { SwarmQueue } from '../api/validate.ts';
import { type BlockedBy, invalidSpec } from '../core/blocked.ts';
import type { QueueObstacleReason } from './reasons.ts';

export const whyBlocked = ({ spec }: SwarmQueue): BlockedBy<QueueObstacleReason> | undefined =>
  spec.ok ? undefined : invalidSpec(spec.problems);
