// The simplest possible controller: it copies each object's `spec.want` to `status.seen`.
import { type Kind, kinds } from '../../../../src/api/kinds.ts';
import {
  asNumber,
  asString,
  dig,
  type KubeObject,
  keyOf,
  refOf,
} from '../../../../src/api/objects.ts';
import type { Decision, Step } from '../../../../src/core/decision.ts';
import type { Clock } from '../../../../src/runtime/clock.ts';
import type { Controller, Observer } from '../../../../src/runtime/engine/controller.ts';
import { Engine } from '../../../../src/runtime/engine/engine.ts';
import { TurnScheduler } from '../../../../src/runtime/queue/turn-scheduler.ts';
import { MemoryApi } from '../../../support/memory-api.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

export const kind = kinds.SwarmPool;

export type World = { readonly object: KubeObject; readonly extra: readonly Step[] };

/** The object that the decision was based on. */
export const decided = ({ metadata }: KubeObject) => ({
  ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
  name: metadata.name,
  uid: metadata.uid ?? '',
  resourceVersion: metadata.resourceVersion ?? '',
});

type Options = {
  readonly concurrency?: number;
  readonly resyncMs?: number;
  readonly observers?: readonly Observer<World>[];
  readonly makeScheduler?: (clock: Clock) => TurnScheduler;
};

export function setUp({
  concurrency = 4,
  resyncMs = 600_000,
  observers = [],
  makeScheduler = (clock) => new TurnScheduler({ clock }),
}: Options = {}) {
  const clock = new VirtualClock();
  const scheduler = makeScheduler(clock);
  const api = new MemoryApi(clock);
  const cache = new Map<string, KubeObject>();
  const logged: { readonly level: string; readonly message: string; readonly facts: object }[] = [];
  const decisions: { readonly key: string; readonly at: number }[] = [];
  const followed: { readonly key: string; readonly decision: Decision }[] = [];
  const forgotten: string[] = [];
  const skipped: string[] = [];
  const hooks = {
    isLeading: true,
    /** A failure is written into status, once. */
    tellsFailures: false,
    /** Steps before the status. */
    extra: (_: KubeObject): readonly Step[] => [],
    decide: (_: World): Partial<Decision> => ({}),
    /** Of a decision. */
    pieces: 1,
    gather: (_: string): Promise<void> => Promise.resolve(),
  };

  const controller: Controller<World> = {
    name: 'trivial',
    subscriptions: () => [],
    keys: () => cache.keys(),
    observe: async (key) => {
      await hooks.gather(key);
      const object = cache.get(key);
      return object === undefined ? undefined : { object, extra: hooks.extra(object) };
    },
    decide: function* (world) {
      const { pieces } = hooks;
      for (let piece = 1; piece < pieces; piece += 1) yield;
      const { object, extra } = world;
      decisions.push({ key: keyOf(object.metadata), at: clock.monotonic() });
      const want = asNumber(dig(object, 'spec', 'want')) ?? 0;
      const isDone = dig(object, 'status', 'seen') === want;
      const status: Step = { do: 'status', kind, ref: decided(object), status: { seen: want } };
      return { steps: isDone ? extra : [...extra, status], ...hooks.decide(world) };
    },
    markOutdated: () => undefined,
    decideFailed: (key, refused) => {
      const object = cache.get(key);
      if (object === undefined) return undefined;
      const status = { failed: refused?.message ?? 'a mistake' };
      const isTold = !hooks.tellsFailures || dig(object, 'status', 'failed') === status.failed;
      return {
        /** Namespaces of forbidden requests. */
        forbidden,
        steps: isTold ? [] : [{ do: 'status', kind, ref: decided(object), status }],
      };
    },
    follow: (key, decision) => followed.push({ key, decision }),
    facts: () => ({}),
    forget: (key) => forgotten.push(key),
    skipped: (key) => skipped.push(key),
    paused: () => undefined,
    close: () => Promise.resolve(),
  };

  const see = (object: KubeObject): void => {
    cache.set(keyOf(object.metadata), object);
    engine.wake(keyOf(object.metadata));
  };
  const log = (level: string) => (message: string, facts: object) =>
    void logged.push({ level, message, facts });
  const forbidden: string[] = [];
  const engine = new Engine({
    controller,
    api,
    clock,
    scheduler,
    log: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
    identity: 'me',
    concurrency,
    resyncMs,
    observers,
    isLeading: () => hooks.isLeading,
    onForbidden: (namespace) => forbidden.push(namespace),
    onWritten: (of: Kind, object) => {
      if (of.plural === kind.plural) see(object);
    },
  });

  return {
    /** Namespaces of forbidden requests. */
    forbidden,
    clock,
    api,
    engine,
    cache,
    logged,
    decisions,
    followed,
    forgotten,
    skipped,
    hooks,
    see,
    /** On the server, and in the cache. */
    want: (key: string, want: number): void =>
      see(api.store.put(kind, refOf(key), { spec: { want } })),
    /** On the server only: the watch lags. */
    wantUnseen: (key: string, want: number): KubeObject =>
      api.store.put(kind, refOf(key), { spec: { want } }),
    gone: (key: string): void => {
      api.store.remove(kind, refOf(key));
      cache.delete(key);
      engine.wake(key);
    },
    seen: (key: string): unknown => dig(api.store.find(kind, refOf(key)), 'status', 'seen'),
    timesOf: (key: string): readonly number[] =>
      decisions.filter((it) => it.key === key).map(({ at }) => at),
    /** What was logged, besides the calls. */
    levels: (): readonly string[] =>
      logged
        .filter(({ message }) => message !== 'done')
        .map(({ level, message, facts }) =>
          `${level} ${message} ${asString(dig(facts, 'code')) ?? ''}`.trim(),
        ),
  };
}
