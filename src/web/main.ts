// The page: which view does the address name, and what has changed?
import { follow } from './live.ts';
import { type Route, routeOf } from './model/route.ts';
import { applyTheme } from './theme.ts';
import { h } from './view/dom.ts';
import { groupView } from './view/group/group.ts';
import { homeView } from './view/home.ts';
import { poolView } from './view/pool/pool.ts';
import { queueView } from './view/queue/queue.ts';
import { shellView } from './view/shell.ts';
import type { View } from './view/view.ts';

/** No event reports how long a worker has not confirmed, or that the operator is gone. */
const LOOK_AGAIN_MS = 5_000;

applyTheme();
const shell = shellView();

let route: Route | undefined;
let view: View | undefined;

const live = follow({
  onOpen: () => view?.refresh?.(),
  onNews: (news) => view?.onNews?.(news),
  onConnection: shell.showConnection,
});

const namesIn = (it: Route): readonly string[] =>
  'namespace' in it ? [it.namespace, it.name] : [];

const isSame = (a: Route, b: Route): boolean =>
  a.view === b.view && a.view !== 'unknown' && keyOf(a) === keyOf(b);

const keyOf = (it: Route): string => namesIn(it).join('/');

function show(): void {
  const next = routeOf(window.location.hash);
  const before = route;
  route = next;
  if (before === undefined || !isSame(before, next)) {
    view?.close?.();
    view = viewOf(next);
    shell.show(view.element, namesIn(next));
    if (before !== undefined) shell.focusMain();
    view.refresh?.();
  }
  if (next.view === 'pool') view?.select?.(next);
}

function viewOf(next: Route): View {
  if (next.view === 'home') return homeView(live.lost);
  if (next.view === 'group') return groupView(next.namespace, next.name, live.lost);
  if (next.view === 'queue') return queueView(next.namespace, next.name, live.lost);
  if (next.view === 'pool') return poolView(next.namespace, next.name, live.lost);
  const home = h('a', { href: '#/' }, 'all pools');
  const advice = h('p', `${next.address} is not a page. Go to `, home, '.');
  return { element: h('section.empty', h('h1', 'Page not found'), advice) };
}

const refreshIfSeen = (): void => {
  if (!document.hidden) view?.refresh?.();
};
window.addEventListener('hashchange', show);
window.setInterval(refreshIfSeen, LOOK_AGAIN_MS);
document.addEventListener('visibilitychange', refreshIfSeen);
show();
live.start();
