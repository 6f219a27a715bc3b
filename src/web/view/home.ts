// The first page: how are all pools, all groups, and all queues doing?
import type { Group } from '../../api/introspection/groups.ts';
import type { QueueSummary } from '../../api/introspection/queues.ts';
import type { Pool } from '../../api/introspection.ts';
import { askGroups, askPools, askQueues } from '../ask.ts';
import { groupCard, poolCard, queueCard } from '../model/cards.ts';
import { withGroupNews } from '../model/groups.ts';
import type { Known } from '../model/known.ts';
import { isOfGroups, isOfQueues, type News } from '../model/news.ts';
import { withNews } from '../model/pools.ts';
import { withQueueNews } from '../model/queues.ts';
import { groupHashOf, hashOf, queueHashOf } from '../model/route.ts';
import { cardsView } from './cards.ts';
import { h } from './dom.ts';
import type { OnSilence, View } from './view.ts';

export function homeView(onSilence: OnSilence): View {
  const poolCards = cardsView({ title: 'Pools', one: 'pool', hashOf, cardOf: poolCard });
  const groupCards = cardsView({
    title: 'Groups',
    one: 'group',
    hashOf: groupHashOf,
    cardOf: groupCard,
  });
  const queueCards = cardsView({
    title: 'Queues',
    one: 'queue',
    hashOf: queueHashOf,
    cardOf: queueCard,
  });
  const empty = h('div.empty', { hidden: '' });
  poolCards.element.append(empty);
  groupCards.element.hidden = true;
  queueCards.element.hidden = true;
  let pools: Known<Pool> = new Map();
  let groups: Known<Group> = new Map();
  let queues: Known<QueueSummary> = new Map();
  let beyond = { pools: 0, groups: 0, queues: 0 };
  let isLeading = true;

  /** A kind without objects is omitted; for the first kind, the page explains how to create one. */
  function draw(): void {
    poolCards.show(pools, beyond.pools);
    groupCards.show(groups, beyond.groups);
    queueCards.show(queues, beyond.queues);
    groupCards.element.hidden = groups.size === 0;
    queueCards.element.hidden = queues.size === 0;
    poolCards.element.hidden = pools.size === 0 && groups.size + queues.size > 0;
    empty.hidden = pools.size > 0;
    if (pools.size === 0) empty.replaceChildren(...(isLeading ? noPools() : noLeader()));
  }

  return {
    element: h('div.home', poolCards.element, groupCards.element, queueCards.element),
    refresh: () =>
      void Promise.all([askPools(), askGroups(), askQueues()]).then((answers) => {
        const [ofPools, ofGroups, ofQueues] = answers;
        if (!ofPools.ok || !ofGroups.ok || !ofQueues.ok) return onSilence();
        isLeading = ofPools.value.leading;
        pools = withNews(pools, { type: 'all', pools: ofPools.value.items });
        groups = withGroupNews(groups, { type: 'groups', groups: ofGroups.value.items });
        queues = withQueueNews(queues, { type: 'queues', queues: ofQueues.value.items });
        beyond = {
          pools: ofPools.value.total - pools.size,
          groups: ofGroups.value.total - groups.size,
          queues: ofQueues.value.total - queues.size,
        };
        draw();
      }),
    onNews: (news: News) => {
      if (isOfGroups(news)) groups = withGroupNews(groups, news);
      else if (isOfQueues(news)) queues = withQueueNews(queues, news);
      else pools = withNews(pools, news);
      draw();
    },
  };
}

const advice = (title: string, what: string, commands: string, then: string) => [
  h('h2', title),
  h('p', what),
  h('pre', { tabindex: '0' }, commands),
  h('p', then),
];

const noPools = () =>
  advice(
    'No pool yet',
    'A SwarmPool lists streams, and names the StatefulSet or Deployment whose pods run them. This command creates a sample with 27 streams on 3 workers:',
    'kubectl apply -k samples/tv',
    'The pool appears here as soon as it exists.',
  );

const noLeader = () =>
  advice(
    'This replica is not the leader',
    'Only the leader has pools, groups and queues to show. The first command prints the name of its pod; the second forwards a port to it:',
    'kubectl -n swarm-operator get lease swarm-operator -o jsonpath={.spec.holderIdentity}\nkubectl -n swarm-operator port-forward pod/NAME 8090',
    'If this replica becomes the leader, they appear here.',
  );
