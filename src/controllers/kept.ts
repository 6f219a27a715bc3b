// How much would be kept for a pool, and is there room for it? Asked before its lists are read, and again when they are known.
import { MOST_STREAMS, MOST_WORKERS, type Size } from '../api/bounds.ts';
import { keyOf, own, type Ref } from '../api/objects.ts';
import type { Target } from '../api/observed.ts';
import type { SwarmPool, SwarmPoolSpec } from '../api/validate.ts';
import type { PublishedShard } from '../core/pool/publish/published.ts';
import type { NamedList } from '../core/pool/streams.ts';
import { leadsTarget } from '../core/pool/workers/seats.ts';
import type { ConfigMaps } from './config-maps.ts';
import { bytesOf, type Holdings } from './holdings.ts';

/** Of the lists of a pool, and of where it is published. */
type Sum = { readonly streams: number; readonly characters: number };
type Known = Sum & { readonly versions: string };

const MIB = 1024 * 1024;

export class Kept {
  readonly #holdings: Holdings;
  readonly #configMaps: ConfigMaps;
  readonly #ofSpec = new WeakMap<SwarmPoolSpec, Sum>();
  /** By pool: what it came to the last time, and of which lists. */
  readonly #known = new Map<string, Known>();

  constructor(holdings: Holdings, configMaps: ConfigMaps) {
    this.#holdings = holdings;
    this.#configMaps = configMaps;
  }

  /** Undefined: there is room, by what was found the last time. */
  excess(pool: SwarmPool, targets: readonly Target[]): string | undefined {
    return pool.spec.ok ? this.#excess(pool, pool.spec.value, targets, this.#knownOf(pool, pool.spec.value)) : undefined;
  }

  /** Its texts are there, and not parsed. Each stream needs a mark of its own, or a line. */
  excessOfTexts(
    pool: SwarmPool,
    targets: readonly Target[],
    { marks, length }: Size,
    published: readonly PublishedShard[],
  ): string | undefined {
    if (!pool.spec.ok) return undefined;
    const characters = published.reduce((sum, { configMap, key }) => sum + (own(configMap.data, key)?.length ?? 0), length);
    const streams = this.#knownOf(pool, pool.spec.value)?.streams ?? marks + 1;
    return this.#excess(pool, pool.spec.value, targets, this.#know(pool, pool.spec.value, { streams, characters }));
  }

  /** They are parsed: mostly that is less. */
  parsed(pool: SwarmPool, targets: readonly Target[], lists: readonly NamedList[]): void {
    if (!pool.spec.ok) return;
    const streams = lists.reduce((sum, { read }) => sum + (read?.ok === true ? read.streams.length : 0), 0);
    const known = this.#knownOf(pool, pool.spec.value);
    if (known === undefined || known.streams === streams) return;
    this.#excess(pool, pool.spec.value, targets, this.#know(pool, pool.spec.value, { ...known, streams }));
  }

  #excess(pool: SwarmPool, spec: SwarmPoolSpec, targets: readonly Target[], read: Sum | undefined): string | undefined {
    const { namespace } = pool.meta;
    const ofSpec = this.#sumOfSpec(spec);
    const size = ({ replicas }: Target): number => (leadsTarget(spec, undefined) ? (spec.workers.replicas ?? replicas) : replicas);
    // Of what is beyond the bounds of a pool nothing is built.
    const workers = Math.min(
      targets.reduce((sum, target) => sum + size(target), 0),
      MOST_WORKERS,
    );
    const streams = Math.min(ofSpec.streams + (read?.streams ?? 0), MOST_STREAMS);
    const bytes = bytesOf({ streams, workers, characters: ofSpec.characters + (read?.characters ?? 0) });
    const most = this.#holdings.refusal(namespace, keyOf({ namespace, name: pool.meta.name }), bytes);
    if (most === undefined) return undefined;
    return (
      `${streams} streams and ${workers} workers take ${mib(bytes)} of the operator's memory, and namespace ${namespace} can have ` +
      `${mib(most)} for all of its pools: make fewer or smaller pools there, or give the operator more memory`
    );
  }

  #know({ meta: { namespace, name } }: SwarmPool, spec: SwarmPoolSpec, sum: Sum): Sum {
    this.#known.set(keyOf({ namespace, name }), { ...sum, versions: this.#versionsOf(namespace, spec) });
    return sum;
  }

  #knownOf({ meta: { namespace, name } }: SwarmPool, spec: SwarmPoolSpec): Known | undefined {
    const known = this.#known.get(keyOf({ namespace, name }));
    return known?.versions === this.#versionsOf(namespace, spec) ? known : undefined;
  }

  /** Something of it is there: others may read the same lists. */
  holds({ namespace = '', name }: Ref): boolean {
    return this.#holdings.holds(namespace, keyOf({ namespace, name }));
  }

  forget({ namespace = '', name }: Ref): void {
    const key = keyOf({ namespace, name });
    this.#known.delete(key);
    this.#holdings.drop(namespace, key);
  }

  #sumOfSpec(spec: SwarmPoolSpec): Sum {
    const known = this.#ofSpec.get(spec) ?? { streams: spec.streams?.length ?? 0, characters: JSON.stringify(spec).length };
    this.#ofSpec.set(spec, known);
    return known;
  }

  #versionsOf(namespace: string, spec: SwarmPoolSpec): string {
    return (spec.streamsFrom ?? [])
      .map(({ configMapKeyRef: { name, key } }) => `${name} ${key} ${this.#configMaps.versionOf({ namespace, name })}`)
      .join();
  }
}

const mib = (bytes: number): string => `${Math.ceil(bytes / MIB)} MiB`;
