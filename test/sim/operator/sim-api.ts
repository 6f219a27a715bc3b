// How does one operator reach the API server? Over a network with delays, where faults can change
// what happens to a call.
import type { Kind } from '../../../src/api/kinds.ts';
import { asList, dig, isKubeObject, type KubeObject, type Ref } from '../../../src/api/objects.ts';
import type {
  CallOptions,
  Listing,
  Selectors,
  WatchEvent,
  WatchOptions,
} from '../../../src/runtime/client/api.ts';
import { KubeError } from '../../../src/runtime/client/errors.ts';
import type { Clock } from '../../../src/runtime/clock.ts';
import { type Call, MemoryApi, slim, within } from '../../support/memory-api.ts';
import type { ProcessClock } from '../../support/process-clock.ts';
import type { ApiServer } from '../cluster/api-server.ts';
import type { Random } from '../random.ts';
import { SimWatch } from './sim-watch.ts';

/**
 * The state of the network between an operator and its API server; faults change it at any time.
 */
export type Network = {
  /** In each direction. */
  slowMs: number;
  /** The response in place of the server's; the call has no effect. */
  refuse: ((call: Call) => KubeError | undefined) | undefined;
  /** The same, set up by an administrator or a user. */
  quota: ((call: Call) => KubeError | undefined) | undefined;
  /** Lists, watches and reads return nothing newer than this version. */
  horizon: number | undefined;
  /** How long events take to arrive. */
  lagMs: number;
  readonly watches: Set<SimWatch>;
};

export const fineNetwork = (): Network => ({
  slowMs: 0,
  refuse: undefined,
  quota: undefined,
  horizon: undefined,
  lagMs: 0,
  watches: new Set(),
});

/**
 * Sees each call before it is sent and after it was carried out; it throws, waits, or lets the call
 * pass. `sent`: the call was on its way when its sender froze.
 */
export type Interceptor = (
  call: Call,
  side: 'before' | 'after',
) => Promise<'sent' | undefined> | 'sent' | undefined;

export type Sent = {
  readonly call: Call;
  /** When the operator meant to send it: before a freeze that delayed it. */
  readonly at: number;
  readonly wasHeld: boolean;
};

export type SimApiOptions = {
  readonly clock: Clock;
  readonly process: ProcessClock;
  readonly server: ApiServer;
  readonly random: Random;
  readonly network: Network;
  readonly intercept: Interceptor;
  /** A write of this operator. */
  readonly onWrite: (sent: Sent) => void;
  /** It arrives: in a list, as an event, or as an answer. */
  readonly onTold: (object: KubeObject) => void;
};

/**
 * A call that the server refuses was carried out as well, as far as faults are concerned: there is
 * a response.
 */
function outcomeOf<T>(
  run: () => T,
): { readonly ok: true; readonly answer: T } | { readonly ok: false; readonly error: unknown } {
  try {
    return { ok: true, answer: run() };
  } catch (error) {
    return { ok: false, error };
  }
}

const READS = new Set<Call['verb']>(['get', 'list', 'watch']);

export class SimApi extends MemoryApi {
  readonly #with: SimApiOptions;

  constructor(options: SimApiOptions) {
    super(options.process, options.server);
    this.#with = options;
  }

  override get(kind: Kind, ref: Ref, options: CallOptions = {}): Promise<KubeObject> {
    return this.call({ verb: 'get', kind, name: ref.name }, options, () => {
      const { horizon } = this.#with.network;
      if (horizon === undefined || kind.kind === 'Lease') return this.store.get(kind, ref);
      const old = this.store
        .asOf({ kind, namespace: ref.namespace }, horizon)
        .find(({ metadata }) => metadata.name === ref.name);
      if (old === undefined)
        throw new KubeError('NotFound', `${kind.plural} "${ref.name}" not found`, { status: 404 });
      return old;
    });
  }

  override list(
    kind: Kind,
    namespace: string | undefined,
    selectors: Selectors = {},
    options: CallOptions = {},
  ): Promise<Listing> {
    return this.call({ verb: 'list', kind }, options, () => {
      const { horizon } = this.#with.network;
      const items =
        horizon === undefined
          ? this.store.all({ kind, namespace })
          : this.store.asOf({ kind, namespace }, horizon);
      return {
        items: items.filter((item) => isSelected(item, selectors)).map((item) => slim(kind, item)),
        resourceVersion: String(horizon ?? this.store.version),
      };
    });
  }

  override version(
    kind: Kind,
    _namespace: string | undefined,
    _selectors?: Selectors,
    options: CallOptions = {},
  ): Promise<string> {
    return this.call({ verb: 'list', kind }, options, () =>
      String(this.#with.network.horizon ?? this.store.version),
    );
  }

  override async *watch(
    kind: Kind,
    namespace: string | undefined,
    { resourceVersion, timeoutSeconds }: WatchOptions,
    options: CallOptions = {},
  ): AsyncGenerator<WatchEvent> {
    const { clock, process, server, random, network } = this.#with;
    const from = Number(resourceVersion);
    const opened = await this.call({ verb: 'watch', kind }, options, () => {
      server.since({ kind, namespace }, from);
      return new SimWatch({
        clock,
        process,
        server,
        random,
        network,
        scope: { kind, namespace },
        from,
        timeoutSeconds,
        signal: options.signal,
      });
    });
    network.watches.add(opened);
    try {
      for await (const event of opened.events()) {
        this.#with.onTold(event.object);
        yield { type: event.type, object: slim(kind, event.object) };
      }
    } finally {
      opened.close();
      network.watches.delete(opened);
    }
  }

  protected override call<T>(call: Call, options: CallOptions, run: () => T): Promise<T> {
    return within(this.#with.process, options, this.#travel(call, run));
  }

  /** Once sent, a call goes on even if its sender dies. */
  async #travel<T>(call: Call, run: () => T): Promise<T> {
    const { clock, process, server, random, network, intercept, onWrite, onTold } = this.#with;
    const pass = (ms: number): Promise<void> =>
      new Promise((resolve) => void clock.after(ms, resolve));
    const awake = (): Promise<void> => new Promise((resolve) => process.whenAwake(resolve));
    const at = clock.monotonic();
    let wasHeld = process.isFrozen;
    await awake();
    const how = await intercept(call, 'before');
    if (how !== 'sent') {
      wasHeld ||= process.isFrozen;
      await awake();
    }
    await pass(network.slowMs + random.between(1, 4));
    if (server.isDown)
      throw await this.#later(new KubeError('Unreachable', 'connect ECONNREFUSED'), awake);
    const refusal = network.refuse?.(call) ?? network.quota?.(call);
    if (refusal !== undefined) throw await this.#later(refusal, awake);
    const outcome = outcomeOf(run);
    if (outcome.ok && !READS.has(call.verb)) onWrite({ call, at, wasHeld });
    await intercept(call, 'after');
    if (!outcome.ok) throw await this.#later(outcome.error, awake);
    await pass(random.between(1, 4));
    await awake();
    const { answer } = outcome;
    for (const object of [answer, ...asList(dig(answer, 'items'))])
      if (isKubeObject(object)) onTold(object);
    return answer;
  }

  /** A refusal travels back as well. */
  async #later(error: unknown, awake: () => Promise<void>): Promise<unknown> {
    const { clock, random } = this.#with;
    await new Promise<void>((resolve) => void clock.after(random.between(1, 4), resolve));
    await awake();
    return error;
  }
}

/** As far as the operator selects: by one label. */
function isSelected({ metadata }: KubeObject, { labelSelector }: Selectors): boolean {
  if (labelSelector === undefined) return true;
  const [name = '', value] = labelSelector.split('=');
  return metadata.labels?.[name] === value;
}
