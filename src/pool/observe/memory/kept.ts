// How much memory does a pool need, and may it have it? Asked before its texts are read, and again
// once their size is known.
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

/** Of lists and publications. */
type Sum = { readonly streams: number; readonly characters: number };
type Known = Sum & { readonly versions: string };

const MIB = 1024 * 1024;

type PoolMemoryOptions = {
  readonly configMaps: Pick<ConfigMaps, 'versionOf'>;
  /** Bytes for all pools together. */
  readonly most: number;
  /** Memory for what is read for this pool became available or was taken away. */
  readonly onChange: (key: string) => void;
  /** The same for its spec. */
  readonly onSpec: (key: string) => void;
  readonly sizeOf: (pool: SwarmPool) => SpecSize;
};

export class PoolMemory {
  readonly #options: PoolMemoryOptions;
  readonly #holdings: Holdings;
  /** By pool: the last estimate, and the versions of the lists that it is of. */
  readonly #known = new Map<string, Known>();

  constructor(options: PoolMemoryOptions) {
    this.#options = options;
    const { most, onChange, onSpec } = options;
    this.#holdings = new Holdings({
      most,
      onChange: (key) => (key.endsWith(SPEC) ? onSpec(key.slice(0, -SPEC.length)) : onChange(key)),
    });
  }

  hasRoom({ namespace = '', name }: Ref, size: SpecSize): boolean {
    return this.#specRefusal({ namespace, name }, size) === undefined;
  }

  /** By the last estimate. Undefined: there is room. */
  excess(pool: SwarmPool, targets: readonly Target[]): string | undefined {
    return pool.spec.ok
      ? this.#excess(pool, pool.spec.value, targets, this.#knownOf(pool, pool.spec.value))
      : undefined;
  }

  /** Before the texts are parsed: each stream takes at least a mark or a line. */
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

  /** Once they are parsed, the true number is usually lower. */
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
    // Nothing is built beyond the bounds of a pool.
    const workers = Math.min(
      targets.reduce((sum, target) => sum + size(target), 0),
      MOST_WORKERS,
    );
    const streams = Math.min(read.streams, MOST_STREAMS);
    const ofRest = { streams, workers, characters: read.characters };
    const noSpec = this.#specRefusal({ namespace, name }, ofSpec);
    // What is not read takes no memory.
    if (noSpec !== undefined) this.#holdings.drop(namespace, key);
    const isRefused =
      noSpec !== undefined || this.#holdings.refusal(namespace, key, bytesOf(ofRest)) !== undefined;
    if (!isRefused) return undefined;
    const bytes = bytesOf({ ...ofSpec, workers: 0 }) + bytesOf(ofRest);
    // No figure of other pools: each change of theirs would rewrite this status.
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

/** A spec is accounted for by itself. */
const SPEC = ' spec';

const mib = (bytes: number): string => `${Math.ceil(bytes / MIB)} MiB`;
