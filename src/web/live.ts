// Which objects have changed? Server-sent events report it while the page is open; when they break
// off, the page shows it and connects again.
import type { Group } from '../api/introspection/groups.ts';
import type { QueueSummary } from '../api/introspection/queues.ts';
import type { Pool } from '../api/introspection.ts';
import type { ObjectRef } from './model/known.ts';
import type { News } from './model/news.ts';

export type Connection =
  | { readonly state: 'connecting' | 'live' }
  | { readonly state: 'lost'; readonly since: number };

type LiveListener = {
  /** Connected, for the first time or again: the known state may be old. */
  onOpen(): void;
  onNews(news: News): void;
  onConnection(connection: Connection): void;
};

const AGAIN_MS = [500, 1_000, 2_000, 4_000];

export function follow({ onOpen, onNews, onConnection }: LiveListener) {
  let source: EventSource | undefined;
  let isLost = false;
  let tries = 0;
  let timer: number | undefined;

  function start(): void {
    window.clearTimeout(timer);
    source?.close();
    source = new EventSource('/api/v1/stream');
    source.onopen = () => {
      tries = 0;
      isLost = false;
      onConnection({ state: 'live' });
      onOpen();
    };
    source.onerror = lost;
    source.addEventListener('pool', ({ data }: MessageEvent<string>) =>
      onNews({ type: 'pool', pool: JSON.parse(data) as Pool }),
    );
    source.addEventListener('gone', ({ data }: MessageEvent<string>) =>
      onNews({ type: 'gone', ...(JSON.parse(data) as ObjectRef) }),
    );
    source.addEventListener('group', ({ data }: MessageEvent<string>) =>
      onNews({ type: 'group', group: JSON.parse(data) as Group }),
    );
    source.addEventListener('group-gone', ({ data }: MessageEvent<string>) =>
      onNews({ type: 'group-gone', ...(JSON.parse(data) as ObjectRef) }),
    );
    source.addEventListener('queue', ({ data }: MessageEvent<string>) =>
      onNews({ type: 'queue', queue: JSON.parse(data) as QueueSummary }),
    );
    source.addEventListener('queue-gone', ({ data }: MessageEvent<string>) =>
      onNews({ type: 'queue-gone', ...(JSON.parse(data) as ObjectRef) }),
    );
  }

  /** Also called when a request got no answer: a connection that went silent reports no error. */
  function lost(): void {
    source?.close();
    if (!isLost) onConnection({ state: 'lost', since: Date.now() });
    isLost = true;
    window.clearTimeout(timer);
    timer = window.setTimeout(start, AGAIN_MS[Math.min(tries, AGAIN_MS.length - 1)]);
    tries += 1;
  }

  return { start, lost };
}
