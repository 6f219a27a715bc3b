// Who decides the size now? A policy in the place of the one before, as users write it.
import type { GroupAction } from './story.ts';

export type Schedule = {
  readonly schedule: string;
  readonly timeZone?: string;
  readonly replicas?: number;
  readonly minReplicas?: number;
  readonly maxReplicas?: number;
};

/** No walk is to have the size that it is mended at. */
const MOST = 6;

const instead = (policy: object): GroupAction => ({
  do: 'spec',
  patch: {
    policy: {
      ...{ type: 'Manual', random: null, schedules: null },
      ...{ minReplicas: null, maxReplicas: null, periodSeconds: 5 },
      ...policy,
    },
  },
});

const named = (schedules: readonly Schedule[]): readonly object[] =>
  schedules.map((schedule, index) => ({ name: `s${index}`, ...schedule }));

/** With its first size again, and with no bounds. */
export const manual = (bounds: object = {}): GroupAction => instead(bounds);

export const atRandom = (seed: number, more: object = {}): GroupAction =>
  instead({ type: 'Random', random: { seed }, maxReplicas: MOST, ...more });

export const scheduled = (schedules: readonly Schedule[], more: object = {}): GroupAction =>
  instead({ type: 'Schedule', maxReplicas: MOST, schedules: named(schedules), ...more });

/** Beside any other policy: its bounds move. */
export const boundedBy = (schedules: readonly Schedule[], more: object = {}): GroupAction =>
  instead({ schedules: named(schedules), ...more });
