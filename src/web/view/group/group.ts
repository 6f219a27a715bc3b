// One group, live: how is it doing, what does each member have, and how did its transitions go?
import type { GroupDetail } from '../../../api/introspection/groups.ts';
import { groupApi } from '../../ask.ts';
import { ofText } from '../../model/cards.ts';
import { groupStandingOf, notesOf, sizeText } from '../../model/groups.ts';
import { keyOf } from '../../model/known.ts';
import { isOfGroups, type News } from '../../model/news.ts';
import { withObstacle } from '../../model/standing.ts';
import { h, keyedList } from '../dom.ts';
import { headView } from '../head.ts';
import { oneAtATime } from '../one-at-a-time.ts';
import type { OnSilence, View } from '../view.ts';
import { historyView } from './history.ts';
import { membersView } from './members.ts';
import { transitionView } from './transition.ts';

export function groupView(namespace: string, name: string, onSilence: OnSilence): View {
  let isClosed = false;
  const ask = groupApi(namespace, name);
  const head = headView(namespace, name, facts, (detail) =>
    withObstacle(groupStandingOf(detail), detail.decision.obstacle),
  );
  const transition = transitionView();
  const members = membersView(namespace);
  const history = historyView();
  const notes = h('ul.notes');
  const noteList = keyedList(
    notes,
    (note: string) => note,
    (note) => ({ element: h('li', note), show: () => undefined }),
  );
  const content = h(
    'div.object-content.group-content',
    { hidden: '' },
    h('div.work', notes, transition.element, members.element),
    history.element,
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

  function show(detail: GroupDetail): void {
    const now = Date.now();
    content.hidden = false;
    head.show(detail);
    const told = notesOf(detail);
    noteList.show(told);
    notes.hidden = told.length === 0;
    transition.show(detail, now);
    members.show(detail);
    history.show(detail, now);
  }

  return {
    element: h('article.group', head.element, content),
    refresh,
    onNews: (news: News) => {
      if (!isOfGroups(news) || news.type === 'groups') return;
      if (keyOf(news.type === 'group' ? news.group : news) === keyOf({ namespace, name }))
        refresh();
    },
    close: () => {
      isClosed = true;
    },
  };
}

const facts: Readonly<Record<string, (detail: GroupDetail) => string>> = {
  size: sizeText,
  'members ready': ({ readyMembers, desiredMembers }) => ofText(readyMembers, desiredMembers),
  'replicas ready': ({ readyReplicas, desiredReplicas }) => ofText(readyReplicas, desiredReplicas),
  policy: ({ policy }) => policy ?? 'unknown',
  order: ({ order }) => order ?? 'unknown',
  'on time-out': ({ timeoutSeconds, onTimeout }) =>
    timeoutSeconds === undefined ? 'unknown' : `${onTimeout}, after ${timeoutSeconds} s`,
};
