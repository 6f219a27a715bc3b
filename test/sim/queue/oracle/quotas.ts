// What did each queue allow, and when? As its users wrote it.
import { kinds } from '../../../../src/api/kinds.ts';
import { dig } from '../../../../src/api/objects.ts';
import type { ApiServer } from '../../cluster/api-server.ts';
import { type Amounts, amountsIn, loosest } from './amounts.ts';
import { isPaused } from './order.ts';
import { maxPerUserIn } from './users.ts';

type Entry = { readonly atMs: number; readonly spec: unknown; readonly isPaused: boolean };

export class QuotaHistory {
  readonly #entries = new Map<string, Entry[]>();
  readonly #now: () => number;

  constructor(server: ApiServer, now: () => number) {
    this.#now = now;
    server.onChange(kinds.SwarmQueue, () => this.#note(server));
  }

  #note(server: ApiServer): void {
    const present = new Map(
      server.all({ kind: kinds.SwarmQueue }).map((it) => [it.metadata.name, it]),
    );
    for (const name of new Set([...present.keys(), ...this.#entries.keys()])) {
      const entries = this.#entries.get(name) ?? [];
      const queue = present.get(name);
      const spec = queue?.['spec'];
      const paused = queue !== undefined && isPaused(queue);
      const last = entries.at(-1);
      if (last?.spec !== spec || last?.isPaused !== paused)
        entries.push({ atMs: this.#now(), spec, isPaused: paused });
      this.#entries.set(name, entries);
    }
  }

  /** The most that it allowed within this time; undefined: it admitted nothing. */
  allowed(queue: string, withinMs: number): Amounts | undefined {
    const open = this.#openWithin(queue, withinMs);
    return open.length === 0
      ? undefined
      : loosest(open.map(({ spec }) => amountsIn(dig(spec, 'quota'))));
  }

  /** The most that it allowed one user within this time. */
  allowedPerUser(queue: string, withinMs: number): Amounts {
    return loosest(this.#openWithin(queue, withinMs).map(({ spec }) => maxPerUserIn(spec)));
  }

  #openWithin(queue: string, withinMs: number): readonly Entry[] {
    const since = this.#now() - withinMs;
    const entries = this.#entries.get(queue) ?? [];
    return entries.filter(({ spec, isPaused: paused }, at) => {
      const until = entries[at + 1]?.atMs ?? Number.POSITIVE_INFINITY;
      return until >= since && spec !== undefined && !paused;
    });
  }
}
