// Is the reported state the server's, and every report in order, whatever happens on the server and
// on the way?

import { describe, it } from '@jest/globals';
import fc from 'fast-check';
import { kinds } from '../../../../src/api/kinds.ts';
import { isNewer } from '../../../../src/api/objects.ts';
import type {
  CallOptions,
  Change,
  Listing,
  Selectors,
  WatchEvent,
  WatchOptions,
} from '../../../../src/runtime/client/api.ts';
import { KubeError, type KubeErrorCode } from '../../../../src/runtime/client/errors.ts';
import { Watcher } from '../../../../src/runtime/watch/watcher.ts';
import { MemoryApi } from '../../../support/memory-api.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

const kind = kinds.Pod;

type Fault =
  | { readonly on: 'list' | 'watch' | 'event'; readonly code: KubeErrorCode }
  /** All earlier events are sent again. */
  | { readonly on: 'replay' }
  /** Of several events of an object only the last is sent. */
  | { readonly on: 'coalesce' }
  /** The list is as of an older version than the last one. */
  | { readonly on: 'old list' }
  /** No more events, until the watcher's own time is up. */
  | { readonly on: 'silence' };

type Action =
  | { readonly do: 'put' | 'remove' | 'recreate' | 'own'; readonly name: string }
  | { readonly do: 'compact' }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'fault'; readonly fault: Fault };

class FaultyApi extends MemoryApi {
  readonly coming: Fault[] = [];
  #lists: Listing[] = [];

  override async list(
    of: typeof kind,
    namespace: string | undefined,
    selectors?: Selectors,
    options?: CallOptions,
  ): Promise<Listing> {
    const answer = await super.list(of, namespace, selectors, options);
    this.#fail('list');
    this.#lists = [...this.#lists, answer];
    return this.#take('old list') === undefined ? answer : (this.#lists[0] ?? answer);
  }

  override async *watch(
    of: typeof kind,
    namespace: string | undefined,
    watch: WatchOptions,
    options?: CallOptions,
  ): AsyncGenerator<WatchEvent> {
    this.#fail('watch');
    if (this.#take('replay') !== undefined)
      for (const { event } of this.store.history({ kind: of, namespace })) yield event;
    const last = this.#take('coalesce') === undefined ? undefined : this.#lastVersions();
    for await (const event of super.watch(of, namespace, watch, options)) {
      this.#fail('event');
      if (this.#take('silence') !== undefined) throw new KubeError('Timeout', 'nothing came');
      const { name, resourceVersion = '' } = event.object.metadata;
      if (isNewer(last?.get(name) ?? '0', resourceVersion) && event.type === 'MODIFIED') continue;
      yield event;
    }
  }

  #lastVersions(): ReadonlyMap<string, string> {
    return new Map(
      this.store
        .history({ kind })
        .map(({ version, event }) => [event.object.metadata.name, String(version)]),
    );
  }

  #fail(on: Fault['on']): void {
    const fault = this.#take(on);
    if (fault !== undefined && 'code' in fault) throw new KubeError(fault.code, 'a fault');
  }

  #take(on: Fault['on']): Fault | undefined {
    const at = this.coming.findIndex((fault) => fault.on === on);
    return at < 0 ? undefined : this.coming.splice(at, 1)[0];
  }
}

const code = fc.constantFrom<KubeErrorCode>(
  'Gone',
  'Unavailable',
  'TooManyRequests',
  'Timeout',
  'Unreachable',
  'BadAnswer',
  'NotFound',
);
const fault: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({ on: fc.constantFrom('list' as const, 'watch' as const, 'event' as const), code }),
  fc.record({
    on: fc.constantFrom(
      'replay' as const,
      'coalesce' as const,
      'old list' as const,
      'silence' as const,
    ),
  }),
);
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('put', 'remove', 'recreate', 'own'),
      name: fc.constantFrom('a', 'b', 'c'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('compact' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('pass' as const),
      ms: fc.constantFrom(0, 100, 1000, 9000, 700_000),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('fault' as const), fault }) },
);

/**
 * Fails at the first impossible report: out of order, twice, of a missing object, of an existing
 * one.
 */
class Witness {
  readonly present = new Map<string, { uid: string; version: string }>();
  readonly #highest = new Map<string, string>();

  readonly take = ({ type, object }: Change): void => {
    const { name, uid = '', resourceVersion: version = '' } = object.metadata;
    const known = this.present.get(name);
    if ((type === 'ADDED') !== (known === undefined))
      throw new Error(`${type} ${name} while it is ${known === undefined ? 'not ' : ''}there`);
    if (known !== undefined && known.uid !== uid)
      throw new Error(`${type} ${name} of ${uid}, but ${known.uid} is there`);
    const highest = this.#highest.get(name) ?? '0';
    const isOld = type === 'DELETED' ? isNewer(highest, version) : !isNewer(version, highest);
    if (isOld) throw new Error(`${type} ${name} ${version} after ${highest}`);
    this.#highest.set(name, version);
    if (type === 'DELETED') this.present.delete(name);
    else this.present.set(name, { uid, version });
  };
}

async function perform(actions: readonly Action[]): Promise<void> {
  const clock = new VirtualClock();
  const api = new FaultyApi(clock);
  const witness = new Witness();
  const stopping = new AbortController();
  const mistakes: unknown[] = [];
  const watcher = new Watcher(api, { kind }, { clock, random: () => 0.5 }, (change) => {
    try {
      witness.take(change);
    } catch (error) {
      mistakes.push(error);
    }
  });
  const done = watcher.run(stopping.signal);
  let round = 0;
  for (const it of actions) {
    if (it.do === 'pass') await clock.advance(it.ms);
    else if (it.do === 'compact') api.store.compact();
    else if (it.do === 'fault') api.coming.push(it.fault);
    else {
      const ref = { namespace: 'n', name: it.name };
      round += 1;
      if (it.do !== 'put' && it.do !== 'own' && api.store.find(kind, ref) !== undefined)
        api.store.remove(kind, ref);
      if (it.do !== 'remove') {
        const written = api.store.put(kind, ref, { round });
        if (it.do === 'own') watcher.observe(written);
      }
    }
  }
  api.coming.length = 0;
  await clock.advance(30_000);
  stopping.abort();
  await done;
  const told = [...witness.present].map(([name, { version }]) => `${name} ${version}`).sort();
  const true_ = api.store
    .all({ kind })
    .map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`);
  if (mistakes.length > 0) throw mistakes[0];
  if (told.join() !== true_.sort().join())
    throw new Error(`reported ${told.join()}, true is ${true_.join()}`);
  if (clock.pending > 0) throw new Error(`${clock.pending} timers are left`);
}

describe('any history and any sequence of faults', () => {
  it('within half a minute after the last fault the reported state is the true one, and no report was wrong', async () => {
    await fc.assert(fc.asyncProperty(fc.array(action, { maxLength: 40, size: 'max' }), perform), {
      numRuns: 400,
    });
  });
});
