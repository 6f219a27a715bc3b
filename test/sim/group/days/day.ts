// What is an ordinary day? A short story, with the oracles that see when it goes wrong.
import type { Placed, PlacedFault } from '../../story/story.ts';
import { mends } from '../mends.ts';
import type { GroupAction, GroupMode, GroupShape, GroupStory, MemberRules } from '../story.ts';

export type Day = {
  /**
   * Of the table of what users met, in which it came first; from 17 on, what they may write and
   * have not met.
   */
  readonly row: number;
  readonly says: string;
  /** Any of them sees it. */
  readonly shows: readonly string[];
  readonly story: GroupStory;
};

type Told = Pick<Day, 'row' | 'says' | 'shows'> & {
  readonly mode: GroupMode;
  readonly size: number;
  /** Left out, two of ratio 1. */
  readonly rules?: readonly MemberRules[];
  readonly shape?: Partial<GroupShape>;
  readonly startsAt?: string;
  readonly hasStandby?: boolean;
  readonly faults?: readonly PlacedFault[];
  readonly actions: readonly Placed<GroupAction>[];
  /** When all is mended. */
  readonly endsMs: number;
};

/** At first the group is at rest for a while. */
const RESTS_MS = 2_000;

export const at = (seconds: number, action: GroupAction): Placed<GroupAction> => ({
  ...action,
  atMs: RESTS_MS + Math.round(seconds * 1_000),
});

export const same = (count: number): readonly MemberRules[] =>
  Array.from({ length: count }, () => ({ ratio: 1, stage: 0 }));

export const inStages = (count: number): readonly MemberRules[] =>
  Array.from({ length: count }, (_, stage) => ({ ratio: 1, stage }));

export function dayOf({
  row,
  says,
  shows,
  mode,
  size,
  shape,
  actions,
  endsMs,
  startsAt,
  hasStandby = false,
  faults = [],
  ...told
}: Told): Day {
  const { rules = same(2) } = told;
  const group: GroupShape = { mode, size, rules, members: rules.length, ...shape };
  const ends = mends(group, () => RESTS_MS + endsMs);
  const story: GroupStory = {
    ...{ seed: row, group, hasStandby, actions: [...actions, ...ends], faults },
    ...(startsAt !== undefined && { startsAt }),
  };
  return { row, says, shows, story };
}
