// What surrounds every view? The way back, the state of the connection, and the choice of dark or
// light.
import type { Connection } from '../live.ts';
import { followSystem, themeNow, toggleTheme } from '../theme.ts';
import { h, setAttributes, setText } from './dom.ts';

const words = { connecting: 'Connecting', live: 'Live', lost: 'Connection lost' } as const;

export function shellView() {
  const trail = h('ol.trail');
  const pulse = h('span.pulse', { role: 'status' });
  const banner = h('p.banner', { role: 'alert', hidden: '' });
  const theme = h('button.plain.theme', { type: 'button' });
  const main = h('main', { id: 'main', tabindex: '-1' });
  const skip = h('a.skip', { href: '#main' }, 'Skip to the content');
  const nav = h('nav', { 'aria-label': 'Breadcrumb' }, trail);

  function showTheme(): void {
    const next = themeNow() === 'dark' ? 'light' : 'dark';
    setText(theme, next === 'dark' ? '☾' : '☀');
    const label = `Switch to ${next} colours`;
    setAttributes(theme, { 'aria-label': label, title: label });
  }

  function showConnection(connection: Connection): void {
    setText(pulse, words[connection.state]);
    setAttributes(pulse, { 'data-state': connection.state });
    banner.hidden = connection.state !== 'lost';
    document.body.dataset['connection'] = connection.state;
    if (connection.state !== 'lost') return;
    const since = new Date(connection.since).toLocaleTimeString();
    setText(
      banner,
      `No connection to the operator since ${since}. This page shows the state at that time. Reconnecting …`,
    );
  }

  skip.addEventListener('click', (event) => {
    event.preventDefault();
    main.focus();
  });
  theme.addEventListener('click', () => {
    toggleTheme();
    showTheme();
  });
  followSystem(showTheme);
  document.body.append(skip, h('header.head', nav, h('div.head-end', pulse, theme)), banner, main);
  showTheme();
  showConnection({ state: 'connecting' });

  return {
    showConnection,
    /** `names` locate the view, below the name of the page. */
    show: (content: HTMLElement, names: readonly string[]) => {
      document.title = [names.join('/'), 'Swarm Operator'].filter(Boolean).join(' · ');
      const steps = [
        h('a.brand', { href: '#/' }, 'Swarm Operator'),
        ...names.map((name) => h('span', name)),
      ];
      steps.at(-1)?.setAttribute('aria-current', 'page');
      trail.replaceChildren(...steps.map((step) => h('li', step)));
      main.replaceChildren(content);
    },
    focusMain: () => {
      main.focus({ preventScroll: true });
      window.scrollTo(0, 0);
    },
  };
}
