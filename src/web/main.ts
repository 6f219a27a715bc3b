// The page: which view does the address name, and what is new?
import { Live } from './live.ts';
import { type Route, routeOf } from './model/route.ts';
import { applyTheme, followSystem } from './theme.ts';
import { h } from './view/dom.ts';
import { PoolPage } from './view/pool/pool.ts';
import { poolsView } from './view/pools.ts';
import { Shell } from './view/shell.ts';
import type { View } from './view/view.ts';

/** No event says for how long a worker has been awaited, or that the operator is gone. */
const LOOK_AGAIN_MS = 5_000;

applyTheme();
const shell = new Shell();
followSystem(() => shell.showTheme());

let route: Route | undefined;
let view: View | undefined;

const live = new Live({
  onOpen: () => view?.refresh(),
  onNews: (news) => view?.onNews(news),
  onConnection: (connection) => shell.showConnection(connection),
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
    view?.close();
    view = viewOf(next);
    if (view !== undefined)
      shell.show(view.element, next.view === 'pool' ? [next.namespace, next.name] : []);
    if (before !== undefined) shell.focusMain();
    view?.refresh();
  }
  if (next.view === 'pool') view?.look(next);
}

function viewOf(next: Route): View | undefined {
  const onSilence = (): void => live.lost();
  if (next.view === 'pools') return poolsView(onSilence);
  if (next.view === 'pool') return new PoolPage(next.namespace, next.name, onSilence);
  const title = h('h1', 'There is no such view');
  const home = h('a', { href: '#/' }, 'all pools');
  shell.show(
    h('section.empty', title, h('p', `${next.asked} names none. There are `, home, '.')),
    [],
  );
  return undefined;
}

window.addEventListener('hashchange', show);
window.setInterval(() => {
  if (!document.hidden) view?.refresh();
}, LOOK_AGAIN_MS);
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) view?.refresh();
});
show();
live.start();
