// Which queues exist, and how is each doing?
import type { QueueSummary } from '../../api/introspection/queues.ts';
import { type Known, knownFrom, type ObjectRef, withOne, without } from './known.ts';
import { type Standing, standing } from './standing.ts';
import { counted } from './words.ts';

export type QueueNews =
  | { readonly type: 'queues'; readonly queues: readonly QueueSummary[] }
  | { readonly type: 'queue'; readonly queue: QueueSummary }
  | ({ readonly type: 'queue-gone' } & ObjectRef);

export function withQueueNews(known: Known<QueueSummary>, news: QueueNews): Known<QueueSummary> {
  switch (news.type) {
    case 'queues':
      return knownFrom(news.queues);
    case 'queue':
      return withOne(known, news.queue);
    case 'queue-gone':
      return without(known, news);
    default:
      return news satisfies never;
  }
}

export function queueStandingOf(queue: QueueSummary): Standing {
  const { isStalled, isPaused, isReady, reason, message, waiting, neverStart } = queue;
  if (isStalled) return standing('bad', 'Stalled', message);
  if (isPaused) return standing('quiet', 'Paused', message);
  if (reason === 'WriteRefused') return standing('bad', 'Refused', message);
  if (!isReady) return standing('busy', 'Not ready', message);
  if (neverStart > 0) return standing('bad', 'Jobs cannot start', neverStartText(queue));
  const notes = [
    ...(waiting > 0 ? [`${counted(waiting, 'job')} ${waiting === 1 ? 'waits' : 'wait'}`] : []),
    ...(queue.failed > 0 ? [failedText(queue)] : []),
  ];
  return standing('good', waiting === 0 ? 'Ready' : 'Admitting', notes.join('; '));
}

function neverStartText({ neverStart, waiting, firstNeverStart = '' }: QueueSummary): string {
  const verb = neverStart === 1 ? 'never starts' : 'never start';
  const first = neverStart === 1 ? firstNeverStart : `such as ${firstNeverStart}`;
  return `${neverStart} of ${counted(waiting, 'waiting job')} ${verb} as things are: ${first}`;
}

/** Failed jobs are no fault of the queue: it stays in order. */
function failedText({ failed, lastFailed = '' }: QueueSummary): string {
  const last = failed === 1 ? lastFailed : `last ${lastFailed}`;
  return `${counted(failed, 'job')} failed: ${last}`;
}

/** The used part of the resource that is used most. */
export const fullestPart = ({ quota }: Pick<QueueSummary, 'quota'>): number =>
  Math.max(0, ...quota.map(({ part = 0 }) => part));
