// One queue, live: how much of its quota is in use, which jobs use it, and which jobs wait?
import type { QueueDetail } from '../../../api/introspection/queues.ts';
import { queueApi } from '../../ask.ts';
import { ofText } from '../../model/cards.ts';
import { keyOf } from '../../model/known.ts';
import { isOfQueues, type News } from '../../model/news.ts';
import { queueStandingOf } from '../../model/queues.ts';
import { withObstacle } from '../../model/standing.ts';
import { numberText } from '../../model/words.ts';
import { h } from '../dom.ts';
import { headView } from '../head.ts';
import { oneAtATime } from '../one-at-a-time.ts';
import type { OnSilence, View } from '../view.ts';
import { admittedView } from './admitted.ts';
import { failedView } from './failed.ts';
import { quotaView } from './quota.ts';
import { waitingView } from './waiting.ts';

export function queueView(namespace: string, name: string, onSilence: OnSilence): View {
  let isClosed = false;
  const ask = queueApi(namespace, name);
  const head = headView(namespace, name, facts, (detail) =>
    withObstacle(queueStandingOf(detail), detail.decision.obstacle),
  );
  const quota = quotaView();
  const admitted = admittedView();
  const waiting = waitingView(namespace, name);
  const failed = failedView();
  const content = h(
    'div.object-content.queue-content',
    { hidden: '' },
    h('div.work', admitted.element, waiting.element, failed.element),
    quota.element,
  );

  const refresh = oneAtATime(async () => {
    const answer = await ask();
    if (isClosed) return;
    if (answer.ok) show(answer.value);
    else if (answer.isSilent) onSilence();
    else {
      head.fail(answer.error);
      content.hidden = true;
    }
  });

  function show(detail: QueueDetail): void {
    const now = Date.now();
    content.hidden = false;
    head.show(detail);
    quota.show(detail);
    admitted.show(detail, now);
    waiting.show(detail, now);
    failed.show(detail, now);
  }

  return {
    element: h('article.queue', head.element, content),
    refresh,
    onNews: (news: News) => {
      if (!isOfQueues(news) || news.type === 'queues') return;
      if (keyOf(news.type === 'queue' ? news.queue : news) === keyOf({ namespace, name }))
        refresh();
    },
    close: () => {
      isClosed = true;
    },
  };
}

const facts: Readonly<Record<string, (detail: QueueDetail) => string>> = {
  'jobs admitted': ({ admitted }) => numberText(admitted),
  'jobs waiting': ({ waiting }) => numberText(waiting),
  'jobs failed': ({ failed }) => numberText(failed),
  'ranks running': ({ readyRanks, ranks }) => ofText(readyRanks, ranks),
  strategy: ({ strategy }) => strategy ?? 'unknown',
};
