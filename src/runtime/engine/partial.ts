// Which steps of a decision are carried out when not all of them can be?
import type { Step } from '../../core/decision.ts';

/** Events directly after a status step belong to it. */
export function statusAndItsEvents(steps: readonly Step[]): readonly Step[] {
  let isOfStatus = false;
  return steps.filter((step) => {
    isOfStatus = step.do === 'status' || (step.do === 'event' && isOfStatus);
    return isOfStatus;
  });
}

/** Steps after a creation depend on it. An event is a creation, too. */
export function withoutCreation(steps: readonly Step[]): readonly Step[] {
  const first = steps.findIndex(({ do: what }) => what === 'create');
  return (first < 0 ? steps : steps.slice(0, first)).filter(({ do: what }) => what !== 'event');
}
