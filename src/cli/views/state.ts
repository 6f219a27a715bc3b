// In which state is an object of ours, and since when? By its condition Ready.
import type { OwnObject } from '../../api/own-object.ts';
import { type Condition, isTrue } from '../../core/conditions.ts';
import { isPausedBy } from '../../core/pause.ts';
import type { Line, Span } from '../render.ts';
import { sinceText } from './time.ts';

export type Stated = OwnObject<
  { readonly paused: boolean },
  { readonly observedGeneration?: number; readonly conditions?: readonly Condition[] }
>;

export const NOT_SEEN = 'no operator has reconciled it yet';
export const NOT_CURRENT = 'the operator has not reconciled the change yet';

/** Is it on its way, so that no user has to do anything? */
type IsWaiting = (condition: Condition) => boolean;

export const isCurrent = ({ meta, status }: Stated): boolean =>
  status?.observedGeneration === meta.generation;

export const isWell = (object: Stated): boolean =>
  isTrue(object.status?.conditions, 'Ready') && isCurrent(object);

export const isPaused = ({ meta, spec }: Stated): boolean =>
  isPausedBy(meta, spec.ok ? spec.value : undefined);

export const readyOf = ({ status }: Stated): Condition | undefined =>
  status?.conditions?.find(({ type }) => type === 'Ready');

const reasonText = ({ reason, message }: Condition): string => `${reason}: ${message}`;

export function stateOf(object: Stated, isWaiting: IsWaiting): Span {
  const condition = readyOf(object);
  if (condition === undefined) return { text: `Unknown: ${NOT_SEEN}`, style: 'busy' };
  if (!isCurrent(object)) return { text: `Changed: ${NOT_CURRENT}`, style: 'busy' };
  if (isPaused(object)) return { text: `Paused: ${condition.message}`, style: 'busy' };
  if (isWell(object)) return { text: 'Ready', style: 'good' };
  return { text: reasonText(condition), style: isWaiting(condition) ? 'busy' : 'bad' };
}

/** The age comes before a message: at its end it would read as a part of it. */
export function stateLine(object: Stated, isWaiting: IsWaiting, now: number): Line {
  const state = stateOf(object, isWaiting);
  const condition = readyOf(object);
  if (condition === undefined || !isCurrent(object)) return [state];
  const age = ` for ${sinceText(condition.lastTransitionTime, now)}`;
  if (isPaused(object))
    return [{ ...state, text: 'Paused' }, { text: `${age}: ${condition.message}` }];
  return isWell(object)
    ? [state, { text: age }]
    : [{ ...state, text: 'not Ready' }, { text: `${age}: ${state.text}` }];
}

/**
 * Conditions beside Ready that need attention: True, or False where that is what is bad. A reason
 * and message that `stateLine` or an earlier condition shows is not repeated.
 */
export function conditionLines(
  object: Stated,
  { ifTrue, ifFalse }: { readonly ifTrue: readonly string[]; readonly ifFalse: readonly string[] },
  now: number,
): readonly Line[] {
  const needsAttention = ({ type, status: is }: Condition): boolean =>
    (is === 'True' && ifTrue.includes(type)) || (is === 'False' && ifFalse.includes(type));
  const ready = readyOf(object);
  const isReadyShown = isCurrent(object) && !isPaused(object) && !isWell(object);
  const shown = new Set(ready !== undefined && isReadyShown ? [reasonText(ready)] : []);
  return (object.status?.conditions ?? [])
    .filter(needsAttention)
    .flatMap((condition): readonly Line[] => {
      const text = reasonText(condition);
      if (shown.has(text)) return [];
      shown.add(text);
      const { type, status, lastTransitionTime } = condition;
      return [
        [
          { text: status === 'True' ? type : `not ${type}`, style: 'bad' },
          { text: ` for ${sinceText(lastTransitionTime, now)}: ${text}` },
        ],
      ];
    });
}
