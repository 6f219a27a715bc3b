// One pool, live: how is it doing, which worker has which stream, has it confirmed, and why is it
// there?
import type { PoolDetail, ShownBoard, ShownStream } from '../../../api/introspection.ts';
import { type Failure, poolApi } from '../../ask.ts';
import { allStreamsText } from '../../model/cards.ts';
import { keyOf } from '../../model/known.ts';
import { isOfGroups, isOfQueues, type News } from '../../model/news.ts';
import { standingOf } from '../../model/pools.ts';
import { hashOf, type Selected } from '../../model/route.ts';
import { withObstacle } from '../../model/standing.ts';
import { numberText } from '../../model/words.ts';
import { type BoardEvents, boardView } from '../board/board.ts';
import { downTray, failingTray, unassignedTray } from '../board/trays.ts';
import { h } from '../dom.ts';
import { headView } from '../head.ts';
import { oneAtATime } from '../one-at-a-time.ts';
import type { OnSilence, View } from '../view.ts';
import { searchView } from './search.ts';
import { timelineView } from './timeline.ts';
import { whatIfView } from './what-if.ts';
import { whyView } from './why.ts';
import { workerDialog } from './worker.ts';

export function poolView(namespace: string, name: string, onSilence: OnSilence): View {
  let selected: Selected = {};
  let isClosed = false;
  let last: PoolDetail | undefined;
  const ticking = window.setInterval(() => {
    if (last !== undefined && last.down > 0) trays.down.show(last, Date.now());
  }, 1_000);

  const api = poolApi(namespace, name);
  const head = headView(namespace, name, facts, (detail) =>
    withObstacle(standingOf(detail), detail.decision.obstacle),
  );
  const why = whyView(api, () => remember({}));
  const dialog = workerDialog(api, () => remember({}));
  const events: BoardEvents = {
    onStream: (stream, anchor, isChosen) => {
      why.show(stream, anchor, isChosen);
      if (isChosen) remember({ stream });
    },
    onLeave: why.leave,
    onWorker: (worker) => {
      window.location.hash = hashOf(namespace, name, { worker });
    },
  };
  const board = boardView(events);
  const trays = {
    down: downTray(events),
    unassigned: unassignedTray(events),
    failing: failingTray(events),
  };
  const whatIf = whatIfView(api);
  const timeline = timelineView();
  const content = h(
    'div.object-content.pool-content',
    { hidden: '' },
    searchView(api, goTo),
    h(
      'div.work',
      whatIf.element,
      trays.down.element,
      trays.unassigned.element,
      trays.failing.element,
      board.element,
    ),
    timeline.element,
  );

  const refresh = oneAtATime(async () => {
    const [detail, shown] = await Promise.all([api.detail(), api.board()]);
    if (isClosed) return;
    if (!detail.ok) fail(detail);
    else if (!shown.ok) fail(shown);
    else show(detail.value, shown.value);
  });

  /** Without an answer the page stays as it is. */
  function fail({ isSilent, error }: Failure): void {
    if (isSilent) onSilence();
    else {
      head.fail(error);
      content.hidden = true;
    }
  }

  function show(detail: PoolDetail, shown: ShownBoard): void {
    const isFirst = content.hidden;
    content.hidden = false;
    head.show(detail);
    last = detail;
    trays.down.show(detail, Date.now());
    trays.unassigned.show(detail);
    trays.failing.show(detail, Date.now());
    timeline.show(detail, Date.now());
    whatIf.show(detail);
    board.show(shown);
    why.refresh();
    if (isFirst) showSelected();
  }

  function select(next: Selected): void {
    const isAnother = next.stream !== selected.stream || next.worker !== selected.worker;
    selected = next;
    if (isAnother) showSelected();
  }

  /** Shows the stream or worker that the address names. */
  function showSelected(): void {
    if (content.hidden) return;
    const { stream, worker } = selected;
    if (worker !== undefined) dialog.open(worker, stream);
    else if (stream !== undefined) {
      const anchor = anchorOf(stream);
      anchor?.scrollIntoView({ block: 'center' });
      anchor?.focus({ preventScroll: true });
      why.show(stream, anchor ?? head.element, true);
    }
  }

  const anchorOf = (stream: string): HTMLElement | undefined =>
    board.blockOf(stream) ?? trays.unassigned.itemOf(stream) ?? trays.failing.itemOf(stream);

  /** Goes to a stream that was searched for; a stream without a block is shown with its worker. */
  function goTo({ name: stream, worker }: ShownStream): void {
    const isDrawn = anchorOf(stream) !== undefined;
    const next = isDrawn || worker === '' ? { stream } : { stream, worker };
    window.location.hash = hashOf(namespace, name, next);
    selected = {};
    select(next);
  }

  /** Writes the selection into the address, without an entry in the browser's history. */
  function remember(next: Selected): void {
    selected = next;
    if (!isClosed) window.history.replaceState(null, '', hashOf(namespace, name, next));
  }

  return {
    element: h('article.pool', head.element, content, why.element, dialog.element),
    refresh,
    select,
    onNews: (news: News) => {
      if (isOfGroups(news) || isOfQueues(news) || news.type === 'all') return;
      if (keyOf(news.type === 'pool' ? news.pool : news) === keyOf({ namespace, name })) refresh();
    },
    close: () => {
      isClosed = true;
      window.clearInterval(ticking);
      why.close();
      whatIf.close();
    },
  };
}

const facts: Readonly<Record<string, (detail: PoolDetail) => string>> = {
  version: ({ version }) => numberText(version),
  streams: allStreamsText,
  'workers confirmed': ({ converged, desired }) =>
    `${numberText(converged)} of ${numberText(desired)}`,
  unassigned: ({ unassigned }) => numberText(unassigned),
  target: ({ target }) => target || 'not found yet',
  scaling: ({ scaling }) => scaling ?? 'unknown',
  handoff: ({ isExclusive }) => (isExclusive ? 'Exclusive' : 'AtLeastOnce'),
};
