// What does the engine see of an API server without a network? The same promises, and faults where
// a test sets them.
import { type Kind, kinds } from '../../src/api/kinds.ts';
import {
  asNumber,
  asString,
  dig,
  type ExactRef,
  type KubeObject,
  type Ref,
} from '../../src/api/objects.ts';
import type { PatchOperation } from '../../src/core/decision.ts';
import type {
  CallOptions,
  JsonPatch,
  KubeApi,
  Listing,
  Patch,
  Preconditions,
  Selectors,
  ServedResource,
  WatchEvent,
  WatchOptions,
} from '../../src/runtime/client/api.ts';
import { KubeError } from '../../src/runtime/client/errors.ts';
import type { Clock } from '../../src/runtime/clock.ts';
import { Store } from './store.ts';

export type Call = {
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'replace' | 'patch' | 'delete' | 'evict';
  readonly kind: Kind;
  readonly name?: string;
  readonly subresource?: string | undefined;
  readonly body?: object;
};

/**
 * `before` throws or waits before the call is carried out, `after` when only the response can still
 * be lost.
 */
export type Faults = {
  readonly before?: (call: Call) => void | Promise<void>;
  readonly after?: (call: Call) => void | Promise<void>;
};

export class MemoryApi implements KubeApi {
  readonly calls: Call[] = [];
  readonly store: Store;
  readonly #clock: Clock;
  faults: Faults;
  renewals = 0;
  isServing = true;
  /** In whatever version. */
  served: readonly ServedResource[] = [];

  constructor(clock: Clock, store = new Store(), faults: Faults = {}) {
    this.#clock = clock;
    this.store = store;
    this.faults = faults;
  }

  get(kind: Kind, ref: Ref, options: CallOptions = {}): Promise<KubeObject> {
    return this.call({ verb: 'get', kind, name: ref.name }, options, () =>
      this.store.get(kind, ref),
    );
  }

  /** Of objects that have replicas as Deployments do. */
  getScale(kind: Kind, ref: Ref, options: CallOptions = {}): Promise<KubeObject> {
    const call = { verb: 'get', kind, name: ref.name, subresource: 'scale' } as const;
    return this.call(call, options, () => scaleOf(this.store.get(kind, ref)));
  }

  list(
    kind: Kind,
    namespace: string | undefined,
    _selectors?: Selectors,
    options: CallOptions = {},
  ): Promise<Listing> {
    const read = (): Listing => ({
      items: this.store.all({ kind, namespace }).map((item) => slim(kind, item)),
      resourceVersion: String(this.store.version),
    });
    return this.call({ verb: 'list', kind }, options, read);
  }

  version(
    kind: Kind,
    _namespace: string | undefined,
    _selectors?: Selectors,
    options: CallOptions = {},
  ): Promise<string> {
    return this.call({ verb: 'list', kind }, options, () => String(this.store.version));
  }

  async watchSeconds(): Promise<number> {
    return 8;
  }

  async *watch(
    kind: Kind,
    namespace: string | undefined,
    watch: WatchOptions,
    options: CallOptions = {},
  ): AsyncGenerator<WatchEvent> {
    await this.call({ verb: 'watch', kind }, options, () => undefined);
    let from = Number(watch.resourceVersion);
    let isOver = false;
    let wake: () => void = () => undefined;
    const end = (): void => {
      isOver = true;
      wake();
    };
    const cancels = [
      this.store.onChange(kind, () => wake()),
      this.#clock.after(watch.timeoutSeconds * 1000, end),
    ];
    options.signal?.addEventListener('abort', end, { once: true });
    try {
      while (!isOver) {
        for (const { version, event } of this.store.since({ kind, namespace }, from)) {
          yield { type: event.type, object: slim(kind, event.object) };
          from = version;
        }
        if (isOver) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      for (const cancel of cancels) cancel();
      options.signal?.removeEventListener('abort', end);
    }
  }

  create(kind: Kind, object: KubeObject, options: CallOptions = {}): Promise<KubeObject> {
    const call = { verb: 'create', kind, name: object.metadata.name, body: object } as const;
    return this.call(call, options, () => this.store.create(kind, object));
  }

  replace(
    kind: Kind,
    object: KubeObject,
    subresource?: string,
    options: CallOptions = {},
  ): Promise<KubeObject> {
    const call = {
      verb: 'replace',
      kind,
      name: object.metadata.name,
      subresource,
      body: object,
    } as const;
    return this.call(call, options, () => {
      const written = this.store.replace(kind, object, subresource);
      return subresource === 'scale' ? scaleOf(written) : written;
    });
  }

  patch(
    kind: Kind,
    ref: Ref,
    patch: Patch | JsonPatch,
    subresource?: string,
    options: CallOptions = {},
  ): Promise<KubeObject> {
    const call = { verb: 'patch', kind, name: ref.name, subresource, body: patch.body } as const;
    return this.call(call, options, () => {
      if (patch.type === 'json')
        return this.store.operate(kind, ref, patch.body as readonly PatchOperation[]);
      // Apply creates an object that is not there.
      if (patch.type === 'apply' && this.store.find(kind, ref) === undefined)
        this.store.put(kind, ref);
      return this.store.merge(kind, ref, patch.body, subresource);
    });
  }

  async delete(
    kind: Kind,
    ref: Ref,
    preconditions: Preconditions = {},
    options: CallOptions & { gracePeriodSeconds?: number } = {},
  ): Promise<void> {
    const run = (): void => this.store.remove(kind, ref, preconditions, options.gracePeriodSeconds);
    await this.call({ verb: 'delete', kind, name: ref.name }, options, run);
  }

  async evict(
    pod: ExactRef & { readonly resourceVersion?: string },
    options: CallOptions = {},
  ): Promise<void> {
    const kind = kinds.Pod;
    await this.call({ verb: 'evict', kind, name: pod.name }, options, () =>
      this.store.evict(kind, pod),
    );
  }

  async resources(
    { group, version }: Pick<Kind, 'group' | 'version'>,
    options: CallOptions = {},
  ): Promise<readonly ServedResource[]> {
    const kind = { group, version, kind: 'APIResourceList', plural: '', namespaced: false };
    return this.call({ verb: 'get', kind }, options, () => this.served);
  }

  async serves(kind: Kind, options: CallOptions = {}): Promise<boolean> {
    return this.call({ verb: 'get', kind }, options, () => this.isServing);
  }

  renewConnections(): void {
    this.renewals += 1;
  }

  /** Calls that change an object. */
  get writes(): readonly Call[] {
    return this.calls.filter(({ verb }) => verb !== 'get' && verb !== 'list' && verb !== 'watch');
  }

  protected async call<T>(call: Call, options: CallOptions, run: () => T): Promise<T> {
    this.calls.push(call);
    await within(this.#clock, options, Promise.resolve(this.faults.before?.(call)));
    const answer = run();
    await within(this.#clock, options, Promise.resolve(this.faults.after?.(call)));
    return answer;
  }
}

/** As the API server shows it: without an entry for 0. */
export function scaleOf({ metadata, spec, status }: KubeObject): KubeObject {
  const { name, namespace = '', uid = '', resourceVersion = '' } = metadata;
  const wanted = asNumber(dig(spec, 'replicas')) ?? 0;
  return {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name, namespace, uid, resourceVersion },
    spec: wanted === 0 ? {} : { replicas: wanted },
    status: { replicas: asNumber(dig(status, 'replicas')) ?? 0, selector: dig(status, 'selector') },
  };
}

/** A watch or list of metadata returns only that. */
export function slim(kind: Kind, object: KubeObject): KubeObject {
  if (kind.metadataOnly !== true) return object;
  const { apiVersion, metadata } = object;
  return { apiVersion, kind: object.kind, metadata };
}

/** A hanging request ends when it times out or its caller aborts it, like a real one. */
export function within<T>(
  clock: Clock,
  { timeoutMs = 10_000, signal }: CallOptions,
  work: Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => end(() => reject(new KubeError('Unreachable', 'called off')));
    const end = (settle: () => void): void => {
      cancel();
      signal?.removeEventListener('abort', stop);
      settle();
    };
    const cancel = clock.after(timeoutMs, () =>
      end(() => reject(new KubeError('Timeout', 'no answer in time'))),
    );
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted === true) return stop();
    work.then(
      (answer) => end(() => resolve(answer)),
      (error: unknown) => end(() => reject(error)),
    );
  });
}

/** A request without a response. */
export const hang = (): Promise<void> => new Promise(() => undefined);

export const holderOf = (lease: KubeObject | undefined): string =>
  asString(dig(lease, 'spec', 'holderIdentity')) ?? '';
