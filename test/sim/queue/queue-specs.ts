// What do the queues of a story grant, and to what are they changed? As the seed decides.
import type { Random } from '../random.ts';
import { maxPerUser } from './users.ts';

export const queueSpec = (random: Random): object => ({
  quota: random.pick<object>([
    { pods: String(random.between(1, 6)) },
    { cpu: String(random.between(1, 8)) },
    { pods: String(random.between(2, 8)), cpu: `${random.between(5, 80)}00m` },
  ]),
  strategy: random.pick(['BestEffort', 'StrictFIFO']),
  maxPriority: random.pick([0, 5]),
  ...(random.chance(0.2) && { jobDefaults: { startTimeoutSeconds: random.between(1, 5) } }),
  ...(random.chance(0.4) && { maxPerUser: maxPerUser(random) }),
  ...(random.chance(0.4) && { preemption: { withinQueue: 'LowerPriority' } }),
});

export const queueEdits: readonly ((random: Random) => object)[] = [
  (random) => ({ strategy: random.pick(['BestEffort', 'StrictFIFO']) }),
  (random) => ({ maxPriority: random.between(0, 5) }),
  (random) => ({ quota: { cpu: random.pick(['1', '4', '8']) } }),
  () => ({ quota: { pods: null } }),
  (random) => ({ preemption: { withinQueue: random.pick(['Never', 'LowerPriority']) } }),
  (random) => ({ jobDefaults: { priority: random.between(0, 2) } }),
  (random) => ({ jobDefaults: { ttlSecondsAfterFinished: random.between(0, 4) } }),
  (random) => ({ jobDefaults: { activeDeadlineSeconds: random.between(2, 6) } }),
  (random) => ({ jobDefaults: { deadlineSignalSeconds: random.pick([0, 2, 3, 4, null]) } }),
  (random) => ({ maxActiveDeadlineSeconds: random.pick([1, 4, null]) }),
];
