// Pools whose list loses streams, and what still runs there.
import { placedIn } from '../../src/api/assignment.ts';
import { decidePool } from '../../src/pool/decide.ts';
import type { PoolWorld } from '../../src/pool/world.ts';
import { carriedOut, settled } from './pool-decisions.ts';
import { NOW, type Shape, slicesOf, withStreams, world } from './pool-worlds.ts';

export const CONFIRM = 'k8slab.info/confirm-removal';

export const next = (at: PoolWorld): PoolWorld => carriedOut(at, decidePool(at, NOW));

export function annotated(at: PoolWorld, digest: string | undefined): PoolWorld {
  const { annotations: before, ...meta } = at.pool.meta;
  const annotations = { ...before, ...(digest !== undefined && { [CONFIRM]: digest }) };
  return { ...at, pool: { ...at.pool, meta: { ...meta, annotations } } };
}

export const runs = (at: PoolWorld): readonly string[] =>
  [...slicesOf(at).values()].flatMap(placedIn).sort();

/** Also those that are on their way from one worker to another. */
export const described = (at: PoolWorld): readonly string[] =>
  [...slicesOf(at).values()].flatMap(({ releasing = [], weights = {}, ...slice }) => [
    ...placedIn(slice),
    ...releasing.filter((name) => name in weights),
  ]);

export const completedIn = (at: PoolWorld): readonly string[] => [
  ...(at.published.assignment?.completed?.keys() ?? []),
];

export const digestOf = (at: PoolWorld): string => at.pool.status?.removal?.digest ?? '';

/** The workers report these streams as completed. */
export function completing(at: PoolWorld, names: readonly string[]): PoolWorld {
  const answers = [...slicesOf(at)].map(([worker, { version, jobs }]) => {
    const uid = at.pods.find(({ name }) => name === worker)?.uid ?? '';
    const streams = Object.fromEntries(
      jobs
        .filter((job) => names.includes(job))
        .map((job) => [job, { state: 'Completed' as const, restarts: 0 }]),
    );
    return [uid, { ok: true as const, report: { version, jobs, podUid: uid, streams } }] as const;
  });
  return { ...at, answers: Object.fromEntries(answers) };
}

export const pool = (shape: Shape = {}): PoolWorld => settled(world({ streams: 4, ...shape }));

export const emptied = (shape: Shape = {}): PoolWorld => settled(withStreams(pool(shape), []));
