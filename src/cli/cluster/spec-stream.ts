// How does a command change streams of spec.streams, and nothing that another user has changed
// meanwhile? Each change tests the name at its index: with another name there, nothing is written.
import { kinds } from '../../api/kinds.ts';
import { hint } from '../../api/nearest.ts';
import type { PoolStream, SwarmPool } from '../../api/validate.ts';
import { hasCode } from '../../runtime/client/errors.ts';
import { CommandError } from '../arguments/command.ts';
import type { Cluster } from './connect.ts';
import { observePool } from './observe-pool.ts';

type Scope = Pick<Cluster, 'api' | 'namespace'>;

type SpecStream = { readonly index: number; readonly stream: PoolStream };

/** `value` undefined: the field is taken away, which must be there. */
type SpecChange = SpecStream & {
  readonly field: Exclude<keyof PoolStream, 'name'>;
  readonly value: unknown;
};

/** In the order of the names. A name that is not in spec.streams is refused, with where it is. */
export async function readSpecStreams(
  cluster: Scope,
  { meta, spec }: SwarmPool,
  names: readonly string[],
): Promise<readonly SpecStream[]> {
  if (!spec.ok) {
    const [problem] = spec.problems;
    throw new CommandError(`SwarmPool ${meta.name}: ${problem?.field}: ${problem?.message}`);
  }
  const { streams = [] } = spec.value;
  const found = new Map(streams.map((stream, index) => [stream.name, { index, stream }]));
  const wanted = [...new Set(names)];
  const missing = wanted.filter((name) => !found.has(name));
  if (missing.length > 0) {
    const refusals = await refusalsOf(cluster, meta.name, missing, [...found.keys()]);
    throw new CommandError(refusals.join('\n'));
  }
  return wanted.flatMap((name) => found.get(name) ?? []);
}

async function refusalsOf(
  { api, namespace }: Scope,
  pool: string,
  missing: readonly string[],
  inSpec: readonly string[],
): Promise<readonly string[]> {
  const { lists } = await observePool(api, namespace, pool, { probes: false });
  const sources = new Map(
    lists.flatMap(({ source, read }) =>
      read?.ok === true ? read.streams.map(({ name }) => [name, source] as const) : [],
    ),
  );
  return missing.map((name) => {
    const source = sources.get(name);
    return source === undefined
      ? `SwarmPool ${pool} has no stream ${name}${hint(name, [...inSpec, ...sources.keys()])}`
      : `stream ${name} of SwarmPool ${pool} comes from the ConfigMap key ${source} (spec.streamsFrom); change it there`;
  });
}

export async function patchSpecStreams(
  { api, namespace }: Scope,
  pool: string,
  changes: readonly SpecChange[],
): Promise<void> {
  const body = changes.flatMap(({ index, stream: { name }, field, value }) => [
    { op: 'test', path: `/spec/streams/${index}/name`, value: name },
    value === undefined
      ? { op: 'remove', path: `/spec/streams/${index}/${field}` }
      : { op: 'add', path: `/spec/streams/${index}/${field}`, value },
  ]);
  try {
    await api.patch(kinds.SwarmPool, { namespace, name: pool }, { type: 'json', body });
  } catch (error) {
    if (!hasCode(error, 'Invalid', 'Stale')) throw error;
    const why = error instanceof Error ? error.message : '';
    throw new CommandError(
      `SwarmPool ${namespace}/${pool} was not changed; another client may have changed spec.streams in the meantime; try again (${why})`,
    );
  }
}
