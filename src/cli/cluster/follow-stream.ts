// What is written about a stream, wherever it goes? The logs of its workers, one after the other,
// for as long as it is wanted.
import { kinds } from '../../api/kinds.ts';
import { asList, asString, dig } from '../../api/objects.ts';
import { LABEL_POOL } from '../../core/meta.ts';
import type { PoolWorld } from '../../pool/world.ts';
import { sleep, systemClock } from '../../runtime/clock.ts';
import type { Terminal } from '../arguments/main.ts';
import { lookAtChanges } from './changes.ts';
import type { Cluster } from './connect.ts';
import { observePool } from './gather.ts';
import { type LogWish, logLines } from './logs.ts';

export type Followed = {
  readonly pool: string;
  readonly stream: string;
  readonly show: (line: string) => void;
};

/** A pod that is made anew, or is not there yet, is asked again after this. */
const AGAIN_MS = 1_000;
/** So much earlier than its clock or ours says may a new worker have had it. */
const CLOCKS_APART_MS = 10_000;

/** Who has it, or is about to let it go. */
export function workerOf(world: PoolWorld, stream: string): string | undefined {
  const slices = world.published.assignment?.workloads ?? new Map();
  return [...slices].find(
    ([, { jobs, releasing }]) => jobs.includes(stream) || releasing?.includes(stream),
  )?.[0];
}

export const versionOf = ({ published }: PoolWorld): number => published.assignment?.version ?? 0;

/**
 * When the first change after this version was made: that may be long ago when it is noticed, and
 * others may have followed.
 */
export function changedAt({ published }: PoolWorld, version: number): number {
  const times = published.changes.flatMap((change) =>
    change.version > version ? [Date.parse(change.time)] : [],
  );
  return Math.min(Date.now(), ...times);
}

export async function followStream(
  cluster: Cluster,
  { pool, stream, show }: Followed,
  first: { readonly worker: string; readonly version: number; readonly wish: LogWish },
  ended: AbortController,
  terminal: Terminal,
): Promise<void> {
  const { api, namespace } = cluster;
  const reading = new Map<string, AbortController>();
  const tails: Promise<void>[] = [];
  let at: string | undefined = first.worker;
  let { version } = first;
  // Of one that it has left nothing more is expected.
  const tellOf =
    (worker: string) =>
    (problem: string): void =>
      worker === at ? terminal.problem(problem) : undefined;
  const read = (worker: string, wish: LogWish): void => {
    // The one before is read on: its last words may come after the move.
    for (const [name, tail] of [...reading].slice(0, -1)) {
      tail.abort();
      reading.delete(name);
    }
    const tail = new AbortController();
    reading.set(worker, tail);
    tails.push(
      readOn(cluster, worker, wish, AbortSignal.any([tail.signal, ended.signal]), {
        show,
        tell: tellOf(worker),
      }),
    );
  };
  read(first.worker, first.wish);
  const look = async (): Promise<void> => {
    const world = await observePool(api, namespace, pool, { probes: false });
    const worker = workerOf(world, stream);
    const movedAt = changedAt(world, version);
    version = versionOf(world);
    if (worker === at) return;
    at = worker;
    terminal.problem(
      worker === undefined ? `${stream} has no worker now` : `${stream} is at ${worker} now`,
    );
    if (worker === undefined || reading.has(worker)) return;
    read(worker, { ...first.wish, tail: undefined, since: new Date(movedAt - CLOCKS_APART_MS) });
  };
  const target = {
    kind: kinds.ConfigMap,
    namespace,
    selectors: { labelSelector: `${LABEL_POOL}=${pool}` },
  };
  await lookAtChanges(api, target, look, ended, terminal);
  await Promise.all(tails);
}

type Ear = { readonly show: (line: string) => void; readonly tell: (problem: string) => void };

/**
 * A log ends with its container; that of the next one is read from its first line on, as soon as it
 * is there.
 */
async function readOn(
  cluster: Cluster,
  worker: string,
  wish: LogWish,
  signal: AbortSignal,
  ear: Ear,
): Promise<void> {
  const { config, namespace } = cluster;
  const { since: _, ...fromTheFirst } = { ...wish, tail: undefined };
  let problem = '';
  let last: { readonly id: string | undefined; readonly endedAt: Date } | undefined;
  for (; !signal.aborted; await sleep(systemClock, AGAIN_MS, signal)) {
    const { id, isRunning } = await containerOf(cluster, worker, wish.container);
    const isKnown = last !== undefined && id === last.id;
    if (isKnown && id !== undefined && !isRunning) continue;
    // The same one still runs: the connection broke.
    const next =
      last === undefined ? wish : isKnown ? { ...fromTheFirst, since: last.endedAt } : fromTheFirst;
    try {
      for await (const line of logLines(config, { namespace, name: worker }, next, signal)) {
        ear.show(line);
        last = { id, endedAt: new Date() };
      }
      last = { id, endedAt: new Date() };
      problem = '';
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      if (!signal.aborted && text !== problem) ear.tell(text);
      problem = text;
    }
  }
}

/** No `id`: there is none that has begun. */
async function containerOf(
  { api, namespace }: Cluster,
  worker: string,
  wanted: string | undefined,
): Promise<{ readonly id: string | undefined; readonly isRunning: boolean }> {
  const pod = await api.get(kinds.Pod, { namespace, name: worker }).catch(() => undefined);
  const statuses = asList(dig(pod, 'status', 'containerStatuses'));
  const status =
    wanted === undefined ? statuses[0] : statuses.find((it) => dig(it, 'name') === wanted);
  return {
    id: asString(dig(status, 'containerID')),
    isRunning: dig(status, 'state', 'running') !== undefined,
  };
}
