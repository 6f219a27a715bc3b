// How does one watch deliver its events? In order, each after a delay, until the watch times out or
// a fault hits it.
import { apiVersionOf } from '../../../src/api/kinds.ts';
import type { WatchEvent } from '../../../src/runtime/client/api.ts';
import { KubeError } from '../../../src/runtime/client/errors.ts';
import type { Clock } from '../../../src/runtime/clock.ts';
import type { ProcessClock } from '../../support/process-clock.ts';
import type { ListScope } from '../../support/store.ts';
import type { ApiServer } from '../cluster/api-server.ts';
import type { Random } from '../random.ts';
import type { Network } from './sim-api.ts';

export type SimWatchOptions = {
  readonly clock: Clock;
  readonly process: ProcessClock;
  readonly server: ApiServer;
  readonly random: Random;
  readonly network: Network;
  readonly scope: ListScope;
  readonly from: number;
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal | undefined;
};

const CLIENT_GRACE_MS = 1_000;
/** How long before its end a watch sends a bookmark. */
const BOOKMARK_MS = 2_000;

export class SimWatch {
  readonly #with: SimWatchOptions;
  readonly #cancels: (() => void)[] = [];
  #from: number;
  #resume: () => void = () => undefined;
  /** Also set while an event is being handled: checked before the next wait. */
  #isWoken = false;
  #isDue = false;
  #isOver = false;
  #isSilent = false;
  #failure: KubeError | undefined;
  #extra: WatchEvent[] = [];

  constructor(options: SimWatchOptions) {
    this.#with = options;
    this.#from = options.from;
    const { clock, process, server, scope, timeoutSeconds, signal } = options;
    const end = (): void => {
      if (!this.#isSilent) this.#isOver = true;
      this.#wake();
    };
    const noticed = (): void => this.fail(new KubeError('Timeout', 'the watch went silent'));
    const abort = (): void => {
      this.#isOver = true;
      this.#wake();
    };
    signal?.addEventListener('abort', abort, { once: true });
    this.#cancels.push(
      server.onChange(scope.kind, () => this.poke()),
      clock.after(timeoutSeconds * 1000, end),
      clock.after(timeoutSeconds * 1000 - BOOKMARK_MS, () => this.#bookmark()),
      process.after(timeoutSeconds * 1000 + CLIENT_GRACE_MS, noticed),
      () => signal?.removeEventListener('abort', abort),
    );
    this.poke();
  }

  get kind(): string {
    return this.#with.scope.kind.kind;
  }

  /** An event may be on its way. */
  poke(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    const { clock, random, network } = this.#with;
    clock.after(network.lagMs + random.between(1, 12), () => {
      this.#isDue = false;
      this.#wake();
    });
  }

  /** From here on no event arrives, and no error says so. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  silence(): void {
    this.#isSilent = true;
  }

  fail(error: KubeError): void {
    this.#failure = error;
    this.#wake();
  }

  /** Sends events again that it has sent before. */
  replay(count: number): void {
    const { server, scope } = this.#with;
    this.#extra = server
      .history(scope)
      .filter(({ version }) => version <= this.#from)
      .slice(-count)
      .map(({ event }) => (event.type === 'DELETED' ? event : { ...event, type: 'ADDED' }));
    this.#wake();
  }

  close(): void {
    for (const cancel of this.#cancels) cancel();
  }

  async *events(): AsyncGenerator<WatchEvent> {
    const { process } = this.#with;
    for (;;) {
      this.#isWoken = false;
      if (this.#failure !== undefined) throw this.#failure;
      if (!this.#isSilent && !this.#isDue) yield* this.#news();
      if (this.#isOver) return;
      if (this.#isWoken) continue;
      await new Promise<void>((resolve) => {
        this.#resume = () => process.whenAwake(resolve);
      });
    }
  }

  #wake(): void {
    this.#isWoken = true;
    this.#resume();
  }

  *#news(): Generator<WatchEvent> {
    const { server, scope, network } = this.#with;
    yield* this.#extra.splice(0);
    for (const { version, event } of server.since(scope, this.#from)) {
      if (version > (network.horizon ?? version) || this.#isSilent || this.#failure !== undefined)
        return;
      this.#from = version;
      yield event;
    }
  }

  /** All changes of this kind up to here have been sent. */
  #bookmark(): void {
    const { server, scope, network } = this.#with;
    if (this.#isSilent || this.#isDue || network.horizon !== undefined) return;
    // A watch from a version that the restored server has not reached yet receives no event.
    if (server.version < this.#from || server.changesAfter(scope, this.#from).length > 0) return;
    this.#from = server.version;
    const { kind } = scope;
    const metadata = { name: '', resourceVersion: String(server.version) };
    this.#extra.push({
      type: 'BOOKMARK',
      object: { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata },
    });
    this.#wake();
  }
}
