// One pool as it lives: how is it doing, which worker has which stream, is it confirmed, and why.
import type { PoolDetail, ShownBoard, ShownStream } from '../../../api/introspection.ts';
import { type Failure, poolApi } from '../../ask.ts';
import { keyOf, type PoolNews, standingOf } from '../../model/pools.ts';
import { hashOf, type Selected } from '../../model/route.ts';
import { numberText } from '../../model/words.ts';
import { type BoardEvents, boardView, trayView } from '../board/board.ts';
import { badge, h, setAttributes, setText } from '../dom.ts';
import type { OnSilence, View } from '../view.ts';
import { searchView } from './search.ts';
import { timelineView } from './timeline.ts';
import { whatIfView } from './what-if.ts';
import { whyView } from './why.ts';
import { workerDialog } from './worker.ts';

export function poolView(namespace: string, name: string, onSilence: OnSilence): View {
  let selected: Selected = {};
  let isAsking = false;
  let isStale = false;
  let isClosed = false;

  const api = poolApi(namespace, name);
  const head = headView(namespace, name);
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
  const tray = trayView(events);
  const whatIf = whatIfView(api);
  const timeline = timelineView();
  const content = h(
    'div.pool-content',
    { hidden: '' },
    searchView(api, goTo),
    h('div.work', whatIf.element, tray.element, board.element),
    timeline.element,
  );

  /** One request at a time: if something changes meanwhile, another follows. */
  function refresh(): void {
    if (isAsking) {
      isStale = true;
      return;
    }
    isAsking = true;
    isStale = false;
    void Promise.all([api.detail(), api.board()]).then(([detail, shown]) => {
      isAsking = false;
      if (isClosed) return;
      if (!detail.ok) fail(detail);
      else if (!shown.ok) fail(shown);
      else show(detail.value, shown.value);
      if (isStale) refresh();
    });
  }

  /** Without an answer the page keeps what it shows. */
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
    tray.show(detail);
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

  /** The stream or worker that the address names. */
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
    board.blockOf(stream) ?? tray.itemOf(stream);

  /** To a stream that was searched for; one that is not drawn is shown with its worker. */
  function goTo({ name: stream, worker }: ShownStream): void {
    const isDrawn = anchorOf(stream) !== undefined;
    const next = isDrawn || worker === '' ? { stream } : { stream, worker };
    window.location.hash = hashOf(namespace, name, next);
    selected = {};
    select(next);
  }

  /** Writes it into the address, without an entry in the browser's history. */
  function remember(next: Selected): void {
    selected = next;
    if (!isClosed) window.history.replaceState(null, '', hashOf(namespace, name, next));
  }

  return {
    element: h('article.pool', head.element, content, why.element, dialog.element),
    refresh,
    select,
    onNews: (news: PoolNews) => {
      if (news.type === 'all') return;
      if (keyOf(news.type === 'pool' ? news.pool : news) === keyOf({ namespace, name })) refresh();
    },
    close: () => {
      isClosed = true;
      why.close();
      whatIf.close();
    },
  };
}

const facts: Readonly<Record<string, (detail: PoolDetail) => string>> = {
  version: ({ version }) => numberText(version),
  streams: ({ streams }) => numberText(streams),
  'workers confirmed': ({ converged, desired }) =>
    `${numberText(converged)} of ${numberText(desired)}`,
  unassigned: ({ unassigned }) => numberText(unassigned),
  'workers are': ({ target }) => target || 'not found yet',
  scaling: ({ scaling }) => scaling ?? 'unknown',
  handoff: ({ isExclusive }) => (isExclusive ? 'Exclusive' : 'AtLeastOnce'),
};

function headView(namespace: string, name: string) {
  const standing = badge();
  const why = h('p.why', { role: 'status' });
  const values = Object.entries(facts).map(([fact, textOf]) => ({ fact, textOf, value: h('dd') }));
  const list = h(
    'dl.facts',
    { hidden: '' },
    ...values.map(({ fact, value }) => h('div', h('dt', fact), value)),
  );
  const title = h('h1', h('span.namespace', `${namespace} / `), name);
  return {
    element: h('header.pool-head', h('div.pool-title', title, standing.element), why, list),
    show: (detail: PoolDetail) => {
      const { tone, word, why: because } = standingOf(detail);
      standing.show(tone, word);
      const { obstacle } = detail.decision;
      setText(why, obstacle === undefined ? because : `${obstacle.reason}: ${obstacle.message}`);
      setAttributes(why, { 'data-tone': tone });
      for (const { value, textOf } of values) setText(value, textOf(detail));
      list.hidden = false;
    },
    fail: (error: string) => {
      standing.show('away', 'Not known here');
      setText(why, error);
      list.hidden = true;
    },
  };
}
