// How does a component of the cluster react? A while after a change, once for many changes, and not
// while the API server is down.
import type { Kind } from '../../../src/api/kinds.ts';
import type { KubeObject } from '../../../src/api/objects.ts';
import type { WatchEvent } from '../../../src/runtime/client/api.ts';
import type { Clock } from '../../../src/runtime/clock.ts';
import type { Random } from '../random.ts';
import type { ApiServer } from './api-server.ts';

export type Surroundings = {
  readonly clock: Clock;
  readonly server: ApiServer;
  readonly random: Random;
};

const DOWN_AGAIN_MS = 300;
/** After a restoration, clients reconnect one after another within this time. */
const LONGEST_RELIST_MS = 2_500;

/** A controller: reviews all objects of its kinds when one of them has changed. */
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

/**
 * Events of one kind in order, each a while after the change; held back while the API server is
 * down.
 */
export class Feed {
  #seen = 0;
  #restores = 0;
  #isDue = false;
  readonly #in: Surroundings;
  readonly #kind: Kind;
  readonly #lagMs: () => number;
  readonly #hears: () => boolean;
  readonly #take: (event: WatchEvent) => void;
  readonly #begin: (present: readonly KubeObject[]) => void;

  /** `begin` is called after a restoration, with the objects that exist now. */
  constructor(
    surroundings: Surroundings,
    kind: Kind,
    lagMs: () => number,
    hears: () => boolean,
    take: (event: WatchEvent) => void,
    begin: (present: readonly KubeObject[]) => void,
  ) {
    this.#in = surroundings;
    this.#kind = kind;
    this.#lagMs = lagMs;
    this.#hears = hears;
    this.#take = take;
    this.#begin = begin;
    surroundings.server.onChange(kind, () => this.poke());
  }

  poke(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    const isRestored = this.#in.server.restores !== this.#restores;
    this.#in.clock.after(
      isRestored ? this.#in.random.between(50, LONGEST_RELIST_MS) : this.#lagMs(),
      () => this.#deliver(),
    );
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
    const isRestored = server.restores !== this.#restores;
    const news = isRestored ? [] : server.changesAfter({ kind: this.#kind }, this.#seen);
    this.#seen = server.version;
    this.#restores = server.restores;
    if (isRestored) this.#begin(server.all({ kind: this.#kind }));
    for (const { event } of news) this.#take(event);
  }
}
