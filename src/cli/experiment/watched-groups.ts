// How are the groups of a namespace now? Followed by one watch for the whole experiment.
import { kinds } from '../../api/kinds.ts';
import type { KubeObject } from '../../api/objects.ts';
import type { KubeApi } from '../../runtime/client/api.ts';
import { hasCode, type KubeError } from '../../runtime/client/errors.ts';
import type { Clock } from '../../runtime/clock.ts';
import { Watcher } from '../../runtime/watch/watcher.ts';
import { InterruptedByUser } from './stopped.ts';

type Around = {
  readonly api: KubeApi;
  readonly clock: Clock;
  readonly tell: (text: string) => void;
};

export class WatchedGroups {
  readonly #latest = new Map<string, KubeObject>();
  readonly #ended = new AbortController();
  readonly #running: Promise<void>;
  #next = Promise.withResolvers<void>();
  #isListed = false;
  #denial: KubeError | undefined;

  constructor({ api, clock, tell }: Around, namespace: string) {
    let told = '';
    const onTrouble = (error: KubeError): void => {
      // Watches run out all the time.
      if (hasCode(error, 'Timeout', 'Gone') || error.message === told) return;
      told = error.message;
      tell(error.message);
    };
    const onDenied = (denial: KubeError | undefined): void => {
      this.#denial = denial;
      this.#wake();
    };
    const onListed = (): void => {
      this.#isListed = true;
      this.#wake();
    };
    const watcher = new Watcher(
      api,
      { kind: kinds.SwarmGroup, namespace },
      { clock, onTrouble, onDenied, onListed },
      ({ type, object }) => {
        if (type === 'DELETED') this.#latest.delete(object.metadata.name);
        else this.#latest.set(object.metadata.name, object);
        this.#wake();
      },
    );
    this.#running = watcher.run(this.#ended.signal);
  }

  #wake(): void {
    this.#next.resolve();
    this.#next = Promise.withResolvers<void>();
  }

  /** `test` gets the group now and after each change; undefined: it is not there. */
  async until<T>(
    name: string,
    test: (group: KubeObject | undefined) => T | undefined,
    signal: AbortSignal,
  ): Promise<T> {
    const wake = (): void => this.#wake();
    signal.addEventListener('abort', wake, { once: true });
    try {
      for (;;) {
        if (signal.aborted) throw new InterruptedByUser();
        if (this.#denial !== undefined) throw this.#denial;
        const next = this.#next.promise;
        const found = this.#isListed ? test(this.#latest.get(name)) : undefined;
        if (found !== undefined) return found;
        await next;
      }
    } finally {
      signal.removeEventListener('abort', wake);
    }
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    await this.#running;
  }
}
