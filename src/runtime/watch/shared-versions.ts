// How far is etcd, as its lists tell? One answer for all namespaces: the objects of a kind are in
// the same etcd, whose version grows with each write. So hundreds of watches that break together
// ask only a few times.
import type { Kind } from '../../api/kinds.ts';
import { type Clock, sleep } from '../clock.ts';

/** A namespace that answers later than this delays no other for longer. */
const PATIENCE_MS = 1_000;

type Ask = () => Promise<string>;

export class SharedVersions {
  readonly #clock: Clock;
  /** By kind: what was asked last, and may be under way. */
  readonly #asked = new Map<string, Promise<unknown>>();
  /** By kind: what will be asked once that is answered. */
  readonly #next = new Map<string, Promise<string>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Asked after the call. `ask`: in the namespace of the caller, which may fail there alone. */
  async of({ group, plural }: Kind, ask: Ask): Promise<string> {
    const kind = `${plural}.${group}`;
    const shared = this.#next.get(kind);
    if (shared === undefined) return this.#askNext(kind, ask);
    return shared.catch(ask);
  }

  #askNext(kind: string, ask: Ask): Promise<string> {
    const next = this.#whenAnswered(kind).then(() => {
      this.#next.delete(kind);
      const answer = ask();
      this.#asked.set(kind, answer);
      return answer;
    });
    this.#next.set(kind, next);
    return next;
  }

  async #whenAnswered(kind: string): Promise<void> {
    const asked = this.#asked.get(kind);
    if (asked === undefined) return;
    const waiting = new AbortController();
    const isPatient = sleep(this.#clock, PATIENCE_MS, waiting.signal);
    await Promise.race([asked.catch(() => undefined), isPatient]);
    waiting.abort();
  }
}
