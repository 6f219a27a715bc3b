// Is a queue paused, by what, and which events report it? The condition Paused is set whatever else
// keeps the queue from being Ready, so that each change is reported once.
import type { SwarmQueue } from '../api/validate.ts';
import type { ConditionNews, Wanted } from '../core/conditions.ts';
import type { EventText } from '../core/decision.ts';
import { ANNOTATION_PAUSED } from '../core/labels.ts';
import { isPausedBy, isPauseUnclear } from '../core/pause.ts';
import type { PauseEventReason, QueueObstacleReason, QueueReason } from './reasons.ts';

/** Undefined: the queue is not paused. */
export function whyPaused({ meta, spec }: SwarmQueue): string | undefined {
  const isBySpec = spec.ok && spec.value.paused;
  const causes = [
    ...(isBySpec ? ['spec.paused is true'] : []),
    ...(isPausedBy(meta, undefined) ? [`the annotation ${ANNOTATION_PAUSED} is "true"`] : []),
  ];
  return causes.length === 0 ? undefined : causes.join(', and ');
}

type PauseCondition = Wanted & { readonly reason: QueueObstacleReason | QueueReason };

export function pauseCondition(queue: SwarmQueue): PauseCondition {
  const why = whyPaused(queue);
  if (why === undefined && !queue.spec.ok) {
    const message = 'the spec cannot be read';
    return { type: 'Paused', status: 'Unknown', reason: 'InvalidSpec', message };
  }
  if (why === undefined && isPauseUnclear(queue.meta)) {
    const message = `the annotation ${ANNOTATION_PAUSED} is neither "true" nor "false", so it has no effect`;
    return { type: 'Paused', status: 'False', reason: 'AnnotationIgnored', message };
  }
  if (why === undefined) {
    const message = `neither spec.paused nor the annotation ${ANNOTATION_PAUSED} is true`;
    return { type: 'Paused', status: 'False', reason: 'NotPaused', message };
  }
  const message = `${why}: no job is admitted; jobs that run go on`;
  return { type: 'Paused', status: 'True', reason: 'Paused', message };
}

export function pauseEvents(news: ConditionNews): readonly EventText[] {
  const reason: PauseEventReason | undefined = news.became('Paused')
    ? 'Paused'
    : news.ceased('Paused')
      ? 'Resumed'
      : undefined;
  return reason === undefined ? [] : [news.event('Normal', 'Decide', 'Paused', reason)];
}
