// What is around every view? The head with the way back, the state of the connection, dark or
// light.
import type { Connection } from '../live.ts';
import { themeNow, toggleTheme } from '../theme.ts';
import { h, mark, say } from './dom.ts';

const words = { connecting: 'Connecting', live: 'Live', lost: 'Connection lost' } as const;

export class Shell {
  readonly #trail = h('ol', { class: 'trail' });
  readonly #pulse = h(
    'span',
    { class: 'pulse', 'data-state': 'connecting', role: 'status' },
    words.connecting,
  );
  readonly #banner = h('p', { class: 'banner', role: 'alert', hidden: '' });
  readonly #theme = h('button', { class: 'plain theme', type: 'button' });
  readonly #main = h('main', { id: 'main', tabindex: '-1' });

  constructor() {
    const skip = h('a', { class: 'skip', href: '#main' }, 'Skip to the content');
    skip.addEventListener('click', (event) => {
      event.preventDefault();
      this.#main.focus();
    });
    this.#theme.addEventListener('click', () => {
      toggleTheme();
      this.showTheme();
    });
    const nav = h('nav', { 'aria-label': 'Where you are' }, this.#trail);
    document.body.append(
      skip,
      h(
        'header',
        { class: 'head' },
        nav,
        h('div', { class: 'head-end' }, this.#pulse, this.#theme),
      ),
      this.#banner,
      this.#main,
    );
    this.showTheme();
  }

  showTheme(): void {
    const next = themeNow() === 'dark' ? 'light' : 'dark';
    say(this.#theme, next === 'dark' ? '☾' : '☀');
    mark(this.#theme, {
      'aria-label': `Change to ${next} colours`,
      title: `Change to ${next} colours`,
    });
  }

  showConnection(connection: Connection): void {
    say(this.#pulse, words[connection.state]);
    mark(this.#pulse, { 'data-state': connection.state });
    this.#banner.hidden = connection.state !== 'lost';
    document.body.dataset['connection'] = connection.state;
    if (connection.state !== 'lost') return;
    const since = new Date(connection.since).toLocaleTimeString();
    say(
      this.#banner,
      `The operator has not been heard since ${since}: this is how things were then. Trying again …`,
    );
  }

  show(content: HTMLElement, title: string, trail: readonly string[]): void {
    document.title = trail.length === 0 ? 'Swarm Operator' : `${title} · Swarm Operator`;
    const home = h(
      'a',
      { href: '#/', class: 'brand', ...(trail.length === 0 && { 'aria-current': 'page' }) },
      'Swarm Operator',
    );
    const steps = trail.map((step, index) =>
      h('li', {}, h('span', index === trail.length - 1 ? { 'aria-current': 'page' } : {}, step)),
    );
    this.#trail.replaceChildren(h('li', {}, home), ...steps);
    this.#main.replaceChildren(content);
  }

  focusMain(): void {
    this.#main.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }
}
