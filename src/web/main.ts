// The page: which view does the address name, and what is new?
import { Live } from './live.ts';
import { type Route, routeOf } from './model/route.ts';
import { applyTheme, followSystem } from './theme.ts';
import { h } from './view/dom.ts';
import { poolView } from './view/pool/pool.ts';
import { poolsView } from './view/pools.ts';
import { Shell } from './view/shell.ts';
import type { View } from './view/view.ts';

/**
 * Of what no event tells: for how long something has been awaited, and whether anybody is still
 * there.
 */
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
      shell.show(view.element, view.title, next.view === 'pool' ? [next.namespace, next.name] : []);
    if (before !== undefined) shell.focusMain();
    view?.refresh();
  }
  if (next.view === 'pool') view?.look(next);
}

function viewOf(next: Route): View | undefined {
  const ears = { onSilence: () => live.lost() };
  if (next.view === 'pools') return poolsView(ears);
  if (next.view === 'pool') return poolView(next.namespace, next.name, ears);
  const home = h('a', { href: '#/' }, 'all pools');
  shell.show(
    h(
      'section',
      { class: 'empty' },
      h('h1', {}, 'There is no such view'),
      h('p', {}, `${next.asked} names none. There are `, home, '.'),
    ),
    '',
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
