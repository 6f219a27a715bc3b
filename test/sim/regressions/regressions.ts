// Which stories have failed before? All of them, by subject.
import { completionRegressions } from './completions.ts';
import { gangRegressions } from './gangs.ts';
import { groupRegressions } from './groups.ts';
import { leaderRegressions } from './leaders.ts';
import { moveRegressions } from './moves.ts';
import { placeRegressions } from './places.ts';
import { queueRegressions } from './queues.ts';
import { quotaRegressions } from './quotas.ts';
import type { Regression } from './regression.ts';
import { restartRegressions } from './restarts.ts';
import { restoredRegressions } from './restored.ts';
import { spoiledRegressions } from './spoiled.ts';
import { statusRegressions } from './status.ts';
import { targetRegressions } from './targets.ts';

export const regressions: readonly Regression[] = [
  ...spoiledRegressions,
  ...placeRegressions,
  ...moveRegressions,
  ...targetRegressions,
  ...leaderRegressions,
  ...restoredRegressions,
  ...restartRegressions,
  ...completionRegressions,
  ...statusRegressions,
  ...groupRegressions,
  ...queueRegressions,
  ...gangRegressions,
  ...quotaRegressions,
];
