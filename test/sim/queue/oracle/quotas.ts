// What did each queue allow, and when? As its users wrote it.
import { kinds } from '../../../../src/api/kinds.ts';
import { dig } from '../../../../src/api/objects.ts';
import type { ApiServer } from '../../cluster/api-server.ts';
import { type Amounts, amountsIn, loosest } from './amounts.ts';

type Entry = { readonly atMs: number; readonly spec: unknown };

export class QuotaHistory {
  readonly #entries = new Map<string, Entry[]>();
  readonly #now: () => number;

  constructor(server: ApiServer, now: () => number) {
    this.#now = now;
    server.onChange(kinds.SwarmQueue, () => this.#note(server));
  }

  #note(server: ApiServer): void {
    const present = new Map(
      server.all({ kind: kinds.SwarmQueue }).map((it) => [it.metadata.name, it['spec']]),
    );
    for (const name of new Set([...present.keys(), ...this.#entries.keys()])) {
      const entries = this.#entries.get(name) ?? [];
      const spec = present.get(name);
      if (entries.at(-1)?.spec !== spec) entries.push({ atMs: this.#now(), spec });
      this.#entries.set(name, entries);
    }
  }

  /** The most that it allowed within this time; undefined: it admitted nothing. */
  allowed(queue: string, withinMs: number): Amounts | undefined {
    const since = this.#now() - withinMs;
    const entries = this.#entries.get(queue) ?? [];
    const open = entries.filter(({ spec }, at) => {
      const until = entries[at + 1]?.atMs ?? Number.POSITIVE_INFINITY;
      return until >= since && spec !== undefined && dig(spec, 'paused') !== true;
    });
    return open.length === 0
      ? undefined
      : loosest(open.map(({ spec }) => amountsIn(dig(spec, 'quota'))));
  }
}
