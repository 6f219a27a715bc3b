// How does the page describe the current transition of a group, and its ended ones?
import type { EndedTransition, GroupDetail } from '../../api/introspection/groups.ts';
import type { Tone } from './blocks.ts';
import { fromToText } from './groups.ts';
import { agoText, durationText, measuredText, numberText, reasonText } from './words.ts';

type Transition = NonNullable<GroupDetail['transition']>;

const words: Readonly<Record<Transition['state'], readonly [Tone, string]>> = {
  Scaling: ['busy', 'Scaling'],
  RollingBack: ['bad', 'Rolling back'],
  Completed: ['good', 'Completed'],
  TimedOut: ['bad', 'Timed out'],
  RolledBack: ['bad', 'Rolled back'],
  Superseded: ['quiet', 'Superseded'],
};

/** The transition goes on when the group is resumed. */
const paused: readonly [Tone, string] = ['quiet', 'Paused'];

type TransitionText = {
  readonly title: string;
  readonly sizes: string;
  readonly tone: Tone;
  readonly word: string;
  /** The duration, the stage, and the reason. */
  readonly facts: string;
  readonly message: string;
  readonly isUnderWay: boolean;
};

export const isUnderWay = ({ state }: Transition): boolean =>
  state === 'Scaling' || state === 'RollingBack';

/** Undefined: there was none yet. */
export function transitionText(
  { transition, isPaused }: Pick<GroupDetail, 'transition' | 'isPaused'>,
  now: number,
): TransitionText | undefined {
  if (transition === undefined) return undefined;
  const { state, from, to, reason, message = '' } = transition;
  const isOngoing = isUnderWay(transition);
  const [tone, word] = isOngoing && isPaused ? paused : words[state];
  const facts = [
    ...(state === 'RollingBack' ? [`back to size ${numberText(from)}`] : []),
    ...(isOngoing ? underWayFacts(transition, now) : endFacts(transition, now)),
    reasonText(reason),
  ];
  return {
    title: isOngoing ? 'Current transition' : 'Last transition',
    sizes: fromToText(from, to),
    tone,
    word,
    facts: facts.join(' · '),
    message,
    isUnderWay: isOngoing,
  };
}

const underWayFacts = (
  { stage, requestTime, times }: Transition,
  now: number,
): readonly string[] => [
  `for ${durationText((now - Date.parse(requestTime)) / 1_000)}`,
  ...(stage === undefined ? [] : [`stage ${stage}`]),
  ...(times?.patchMilliseconds === undefined
    ? []
    : [`all members scaled in ${measuredText(times.patchMilliseconds)}`]),
];

const endFacts = (
  { state, finishTime, requestTime, times }: Transition,
  now: number,
): readonly string[] => [
  ...(times?.totalMilliseconds === undefined || state !== 'Completed'
    ? []
    : [`took ${measuredText(times.totalMilliseconds)}`]),
  agoText(finishTime ?? requestTime, now),
];

export type EndedRow = {
  readonly key: string;
  readonly sizes: string;
  readonly tone: Tone;
  readonly outcome: string;
  readonly when: string;
  /** The member that was ready last. */
  readonly slowest: string;
  readonly took: string;
  /** Relative to the longest transition, 0 to 1; undefined: it was not measured to its end. */
  readonly share: number | undefined;
};

/** `history`: the newest first. */
export function endedRows(history: readonly EndedTransition[], now: number): readonly EndedRow[] {
  const longest = Math.max(1, ...history.map(({ totalMilliseconds = 0 }) => totalMilliseconds));
  return history.map((ended, index) => {
    const { from, to, outcome, reason, requestTime, totalMilliseconds, slowest } = ended;
    const [tone, word] = words[outcome];
    // Kubernetes writes times in whole seconds: two transitions may have the same time.
    const others = history.slice(index).filter((it) => it.requestTime === requestTime).length;
    return {
      key: `${requestTime} ${others}`,
      sizes: fromToText(from, to),
      tone,
      outcome: word,
      when: `${reasonText(reason)} · ${agoText(requestTime, now)}`,
      slowest: slowest === undefined ? '' : `slowest: ${slowest}`,
      took:
        totalMilliseconds !== undefined
          ? measuredText(totalMilliseconds)
          : outcome === 'Completed'
            ? 'not measured'
            : '',
      share:
        totalMilliseconds === undefined ? undefined : Math.max(0.02, totalMilliseconds / longest),
    };
  });
}

export function timesText(times: GroupDetail['times']): string {
  const { count = 0, p50Milliseconds, maxMilliseconds } = times ?? {};
  if (count < 2 || p50Milliseconds === undefined || maxMilliseconds === undefined) return '';
  return `median of ${count}: ${measuredText(p50Milliseconds)}, longest: ${measuredText(maxMilliseconds)}`;
}
