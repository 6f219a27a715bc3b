// How does a part of the cluster come to act? A while after something has changed, once for many changes, and not while the API is down.
import type { Kind } from '../../../src/api/kinds.ts';
import type { WatchEvent } from '../../../src/kube/api.ts';
import type { Clock } from '../../../src/kube/clock.ts';
import type { Random } from '../random.ts';
import type { ApiServer } from './api-server.ts';

export type Surroundings = { readonly clock: Clock; readonly server: ApiServer; readonly random: Random };

const DOWN_AGAIN_MS = 300;

/** A controller: looks at everything of its kinds when one of them has changed. */
export class Actor {
  #isDue = false;
  readonly #in: Surroundings;
  readonly #act: () => void;

  constructor(surroundings: Surroundings, watched: readonly Kind[], act: () => void) {
    this.#in = surroundings;
    this.#act = act;
    for (const kind of watched) surroundings.server.onChange(kind, () => this.poke());
  }

  poke(inMs = this.#in.random.between(3, 40)): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#in.clock.after(inMs, () => {
      this.#isDue = false;
      if (this.#in.server.isDown) this.poke(DOWN_AGAIN_MS);
      else this.#act();
    });
  }
}

/** Events of one kind in order, each a while after it happened; held back while nothing can be heard. */
export class Feed {
  #seen = 0;
  #isDue = false;
  readonly #in: Surroundings;
  readonly #kind: Kind;
  readonly #lagMs: () => number;
  readonly #hears: () => boolean;
  readonly #take: (event: WatchEvent) => void;

  constructor(surroundings: Surroundings, kind: Kind, lagMs: () => number, hears: () => boolean, take: (event: WatchEvent) => void) {
    this.#in = surroundings;
    this.#kind = kind;
    this.#lagMs = lagMs;
    this.#hears = hears;
    this.#take = take;
    surroundings.server.onChange(kind, () => this.poke());
  }

  poke(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#in.clock.after(this.#lagMs(), () => this.#deliver());
  }

  #deliver(): void {
    this.#isDue = false;
    const { server, clock } = this.#in;
    if (!this.#hears()) return;
    if (server.isDown) {
      this.#isDue = true;
      clock.after(DOWN_AGAIN_MS, () => this.#deliver());
      return;
    }
    const news = server.changesAfter({ kind: this.#kind }, this.#seen);
    this.#seen = server.version;
    for (const { event } of news) this.#take(event);
  }
}
