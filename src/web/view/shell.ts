// What surrounds every view? The way back, the state of the connection, dark or light.
import type { Connection } from '../live.ts';
import { themeNow, toggleTheme } from '../theme.ts';
import { h, mark, say } from './dom.ts';

const words = { connecting: 'Connecting', live: 'Live', lost: 'Connection lost' } as const;

export class Shell {
  readonly #trail = h('ol.trail');
  readonly #pulse = h('span.pulse', { role: 'status' });
  readonly #banner = h('p.banner', { role: 'alert', hidden: '' });
  readonly #theme = h('button.plain.theme', { type: 'button' });
  readonly #main = h('main', { id: 'main', tabindex: '-1' });

  constructor() {
    const skip = h('a.skip', { href: '#main' }, 'Skip to the content');
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
      h('header.head', nav, h('div.head-end', this.#pulse, this.#theme)),
      this.#banner,
      this.#main,
    );
    this.showTheme();
    this.showConnection({ state: 'connecting' });
  }

  showTheme(): void {
    const next = themeNow() === 'dark' ? 'light' : 'dark';
    say(this.#theme, next === 'dark' ? '☾' : '☀');
    const label = `Change to ${next} colours`;
    mark(this.#theme, { 'aria-label': label, title: label });
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

  show(content: HTMLElement, trail: readonly string[]): void {
    document.title = trail.length === 0 ? 'Swarm Operator' : `${trail.join('/')} · Swarm Operator`;
    const steps = [
      h('a.brand', { href: '#/' }, 'Swarm Operator'),
      ...trail.map((step) => h('span', step)),
    ];
    steps.at(-1)?.setAttribute('aria-current', 'page');
    this.#trail.replaceChildren(...steps.map((step) => h('li', step)));
    this.#main.replaceChildren(content);
  }

  focusMain(): void {
    this.#main.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }
}
