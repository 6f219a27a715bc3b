// What is new? Server-sent events, for as long as the page is open; when they break off, the page
// says so and connects again.
import type { Pool } from '../api/introspection.ts';
import type { PoolNews } from './model/pools.ts';

export type Connection =
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  | { readonly state: 'lost'; readonly since: number };

type LiveListener = {
  /** Connected, for the first time or again: whatever was known may be old. */
  onOpen(): void;
  onNews(news: PoolNews): void;
  onConnection(connection: Connection): void;
};

const AGAIN_MS = [500, 1_000, 2_000, 4_000];

export class Live {
  readonly #listener: LiveListener;
  #source: EventSource | undefined;
  #connection: Connection = { state: 'connecting' };
  #tries = 0;
  #timer: number | undefined;

  constructor(listener: LiveListener) {
    this.#listener = listener;
  }

  start(): void {
    window.clearTimeout(this.#timer);
    this.#source?.close();
    const source = new EventSource('/api/v1/stream');
    this.#source = source;
    source.onopen = () => {
      this.#tries = 0;
      this.#become({ state: 'live' });
      this.#listener.onOpen();
    };
    source.onerror = () => this.lost();
    source.addEventListener('pool', ({ data }: MessageEvent<string>) =>
      this.#listener.onNews({ type: 'pool', pool: JSON.parse(data) as Pool }),
    );
    source.addEventListener('gone', ({ data }: MessageEvent<string>) =>
      this.#listener.onNews({
        type: 'gone',
        ...(JSON.parse(data) as Pick<Pool, 'namespace' | 'name'>),
      }),
    );
  }

  /** Also called when a request got no answer: a connection that went silent reports no error. */
  lost(): void {
    this.#source?.close();
    const wait = AGAIN_MS[Math.min(this.#tries, AGAIN_MS.length - 1)];
    this.#tries += 1;
    if (this.#connection.state !== 'lost') this.#become({ state: 'lost', since: Date.now() });
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.start(), wait);
  }

  #become(connection: Connection): void {
    this.#connection = connection;
    this.#listener.onConnection(connection);
  }
}
