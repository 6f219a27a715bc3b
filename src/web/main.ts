// The page: which view does the address name, and what is new?
import { follow } from './live.ts';
import { type Route, routeOf } from './model/route.ts';
import { applyTheme } from './theme.ts';
import { h } from './view/dom.ts';
import { poolView } from './view/pool/pool.ts';
import { poolsView } from './view/pools.ts';
import { shellView } from './view/shell.ts';
import type { View } from './view/view.ts';

/** No event tells for how long a worker has not confirmed, or that the operator is gone. */
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

function isSame(a: Route, b: Route): boolean {
  return a.view === 'pool' && b.view === 'pool'
    ? a.namespace === b.namespace && a.name === b.name
    : a.view === b.view && a.view === 'pools';
}

function show(): void {
  const next = routeOf(window.location.hash);
  const before = route;
  route = next;
  if (before === undefined || !isSame(before, next)) {
    view?.close?.();
    view = viewOf(next);
    shell.show(view.element, next.view === 'pool' ? [next.namespace, next.name] : []);
    if (before !== undefined) shell.focusMain();
    view.refresh?.();
  }
  if (next.view === 'pool') view?.select?.(next);
}

function viewOf(next: Route): View {
  if (next.view === 'pools') return poolsView(live.lost);
  if (next.view === 'pool') return poolView(next.namespace, next.name, live.lost);
  const home = h('a', { href: '#/' }, 'all pools');
  const advice = h('p', `${next.address} names none. There are `, home, '.');
  return { element: h('section.empty', h('h1', 'There is no such view'), advice) };
}

const refreshIfSeen = (): void => {
  if (!document.hidden) view?.refresh?.();
};
window.addEventListener('hashchange', show);
window.setInterval(refreshIfSeen, LOOK_AGAIN_MS);
document.addEventListener('visibilitychange', refreshIfSeen);
show();
live.start();
