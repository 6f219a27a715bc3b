// How much would be kept for a pool, and is there room for it? Asked before its spec and its lists
// are kept, and again when they are known.
import { MOST_STREAMS, MOST_WORKERS, type Size } from '../../../api/bounds.ts';
import { keyOf, own, type Ref } from '../../../api/objects.ts';
import type { Target } from '../../../api/observed.ts';
import type { SpecSize, SwarmPool, SwarmPoolSpec } from '../../../api/validate.ts';
import type { ConfigMaps } from '../../../runtime/store/config-maps.ts';
import type { Published } from '../../publish/published.ts';
import type { NamedList } from '../../streams.ts';
import { scalesTarget } from '../../workers/seats.ts';
import { versionsOfLists } from '../publications.ts';
import { bytesOf, Holdings } from './holdings.ts';

/** Of the lists of a pool, and of where it is published. */
type Sum = { readonly streams: number; readonly characters: number };
type Known = Sum & { readonly versions: string };

const MIB = 1024 * 1024;

type PoolMemoryOptions = {
  readonly configMaps: Pick<ConfigMaps, 'versionOf'>;
  /** Bytes for all pools together. */
  readonly most: number;
  /** There is room again, or no longer, for what is kept of this pool. */
  readonly onChange: (key: string) => void;
  /** There is room again, or no longer, for its spec. */
  readonly onSpec: (key: string) => void;
  readonly sizeOf: (pool: SwarmPool) => SpecSize;
};

export class PoolMemory {
  readonly #options: PoolMemoryOptions;
  readonly #holdings: Holdings;
  /** By pool: what it came to the last time, and of which lists. */
  readonly #known = new Map<string, Known>();

  constructor(options: PoolMemoryOptions) {
    this.#options = options;
    const { most, onChange, onSpec } = options;
    this.#holdings = new Holdings({
      most,
      onChange: (key) => (key.endsWith(SPEC) ? onSpec(key.slice(0, -SPEC.length)) : onChange(key)),
    });
  }

  /** Is there room for a spec of this size? */
  hasRoom({ namespace = '', name }: Ref, size: SpecSize): boolean {
    return this.#specRefusal({ namespace, name }, size) === undefined;
  }

  /** Undefined: there is room, by what was found the last time. */
  excess(pool: SwarmPool, targets: readonly Target[]): string | undefined {
    return pool.spec.ok
      ? this.#excess(pool, pool.spec.value, targets, this.#knownOf(pool, pool.spec.value))
      : undefined;
  }

  /** Its texts are there, and not parsed. Each stream needs a mark of its own, or a line. */
  excessOfTexts(
    pool: SwarmPool,
    targets: readonly Target[],
    { marks, length }: Size,
    { shards }: Published,
  ): string | undefined {
    if (!pool.spec.ok) return undefined;
    const characters = shards.reduce(
      (sum, { configMap, key }) => sum + (own(configMap.data, key)?.length ?? 0),
      length,
    );
    const streams = this.#knownOf(pool, pool.spec.value)?.streams ?? marks + 1;
    return this.#excess(
      pool,
      pool.spec.value,
      targets,
      this.#know(pool, pool.spec.value, { streams, characters }),
    );
  }

  /** They are parsed: mostly that is less. */
  parsed(pool: SwarmPool, targets: readonly Target[], lists: readonly NamedList[]): void {
    if (!pool.spec.ok) return;
    const streams = lists.reduce(
      (sum, { read }) => sum + (read?.ok === true ? read.streams.length : 0),
      0,
    );
    const known = this.#knownOf(pool, pool.spec.value);
    if (known === undefined || known.streams === streams) return;
    this.#excess(
      pool,
      pool.spec.value,
      targets,
      this.#know(pool, pool.spec.value, { ...known, streams }),
    );
  }

  #excess(
    pool: SwarmPool,
    spec: SwarmPoolSpec,
    targets: readonly Target[],
    read: Sum = { streams: 0, characters: 0 },
  ): string | undefined {
    const { namespace, name } = pool.meta;
    const key = keyOf({ namespace, name });
    const ofSpec = this.#options.sizeOf(pool);
    const size = ({ replicas }: Target): number =>
      scalesTarget(spec, undefined) ? (spec.workers.replicas ?? replicas) : replicas;
    // Of what is beyond the bounds of a pool nothing is built.
    const workers = Math.min(
      targets.reduce((sum, target) => sum + size(target), 0),
      MOST_WORKERS,
    );
    const streams = Math.min(read.streams, MOST_STREAMS);
    const ofRest = { streams, workers, characters: read.characters };
    const noSpec = this.#specRefusal({ namespace, name }, ofSpec);
    // What is not read takes no room.
    if (noSpec !== undefined) this.#holdings.drop(namespace, key);
    const isRefused =
      noSpec !== undefined || this.#holdings.refusal(namespace, key, bytesOf(ofRest)) !== undefined;
    if (!isRefused) return undefined;
    const bytes = bytesOf({ ...ofSpec, workers: 0 }) + bytesOf(ofRest);
    // No figure that others change: each of many such pools would be written a new status whenever
    // one comes or goes.
    return (
      `${ofSpec.streams + streams} streams and ${workers} workers take ${mib(bytes)} of the operator's memory; all pools together have ` +
      `${mib(this.#options.most)}, and namespace ${namespace} its part already: make fewer or smaller pools there, or give the operator more memory`
    );
  }

  #specRefusal({ namespace = '', name }: Ref, size: SpecSize): number | undefined {
    return this.#holdings.refusal(
      namespace,
      `${keyOf({ namespace, name })}${SPEC}`,
      bytesOf({ ...size, workers: 0 }),
    );
  }

  #know({ meta: { namespace, name } }: SwarmPool, spec: SwarmPoolSpec, sum: Sum): Sum {
    this.#known.set(keyOf({ namespace, name }), {
      ...sum,
      versions: versionsOfLists(this.#options.configMaps, namespace, spec),
    });
    return sum;
  }

  #knownOf({ meta: { namespace, name } }: SwarmPool, spec: SwarmPoolSpec): Known | undefined {
    const known = this.#known.get(keyOf({ namespace, name }));
    return known?.versions === versionsOfLists(this.#options.configMaps, namespace, spec)
      ? known
      : undefined;
  }

  /** Something of it is there: others may read the same lists. */
  holds({ namespace = '', name }: Ref): boolean {
    return this.#holdings.holds(namespace, keyOf({ namespace, name }));
  }

  forget({ namespace = '', name }: Ref): void {
    const key = keyOf({ namespace, name });
    this.#known.delete(key);
    this.#holdings.drop(namespace, key);
    this.#holdings.drop(namespace, `${key}${SPEC}`);
  }
}

/** A spec is kept by itself, with or without what is read for it. */
const SPEC = ' spec';

const mib = (bytes: number): string => `${Math.ceil(bytes / MIB)} MiB`;
