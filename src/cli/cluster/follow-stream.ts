// How is the log of a stream followed while the stream moves? The logs of its workers are read one
// after the other.
import { kinds } from '../../api/kinds.ts';
import { asList, asString, dig } from '../../api/objects.ts';
import { errorText } from '../../api/text.ts';
import { LABEL_POOL } from '../../pool/publish/config-maps.ts';
import type { PoolWorld } from '../../pool/world.ts';
import { sleep, systemClock } from '../../runtime/clock.ts';
import type { Terminal } from '../arguments/terminal.ts';
import { lookAtChanges } from './changes.ts';
import type { Cluster } from './connect.ts';
import { type LogOptions, logLines } from './logs.ts';
import { observePool } from './observe-pool.ts';

type Followed = {
  readonly stream: string;
  /** The worker that has the stream at first. */
  readonly worker: string;
  readonly options: LogOptions;
  readonly show: (line: string) => void;
};

/** How often to look for a pod that is not there, or not yet. */
const AGAIN_MS = 1_000;
/** How far the clocks of two nodes may differ. */
const CLOCKS_APART_MS = 10_000;

/** The worker that has the stream, or is about to release it. */
export function workerOf(world: PoolWorld, stream: string): string | undefined {
  const slices = world.published.assignment?.workloads ?? new Map();
  return [...slices].find(
    ([, { jobs, releasing }]) => jobs.includes(stream) || releasing?.includes(stream),
  )?.[0];
}

const versionOf = ({ published }: PoolWorld): number => published.assignment?.version ?? 0;

/** When the first change after this version was published; others may have followed since. */
export function changedAt({ published }: PoolWorld, version: number): number {
  const times = published.changes.flatMap((change) =>
    change.version > version ? [Date.parse(change.time)] : [],
  );
  return Math.min(Date.now(), ...times);
}

export async function followStream(
  cluster: Cluster,
  first: PoolWorld,
  { stream, worker, options, show }: Followed,
  ended: AbortController,
  terminal: Terminal,
): Promise<void> {
  const { api, namespace } = cluster;
  const pool = first.pool.meta.name;
  const reading = new Map<string, AbortController>();
  const done: Promise<void>[] = [];
  let current: string | undefined = worker;
  let version = versionOf(first);
  const read = (from: string, how: LogOptions): void => {
    // The previous worker is read on: its last lines may come after the move.
    for (const [name, reader] of [...reading].slice(0, -1)) {
      reader.abort();
      reading.delete(name);
    }
    const reader = new AbortController();
    reading.set(from, reader);
    // A worker that the stream has left may be gone.
    const onProblem = (problem: string): void => {
      if (from === current) terminal.problem(problem);
    };
    const signal = AbortSignal.any([reader.signal, ended.signal]);
    done.push(readOn(cluster, from, how, signal, show, onProblem));
  };
  read(worker, options);
  const look = async (): Promise<void> => {
    const world = await observePool(api, namespace, pool, { probes: false });
    const next = workerOf(world, stream);
    const movedAt = changedAt(world, version);
    version = versionOf(world);
    if (next === current) return;
    current = next;
    terminal.problem(
      next === undefined ? `${stream} has no worker now` : `${stream} is now on ${next}`,
    );
    if (next === undefined || reading.has(next)) return;
    const since = new Date(movedAt - CLOCKS_APART_MS);
    read(next, { ...options, tail: undefined, since });
  };
  const target = {
    kind: kinds.ConfigMap,
    namespace,
    selectors: { labelSelector: `${LABEL_POOL}=${pool}` },
  };
  await lookAtChanges(api, target, look, ended, terminal);
  await Promise.all(done);
}

/** A log ends with its container; that of the next container is read from its first line. */
async function readOn(
  cluster: Cluster,
  worker: string,
  options: LogOptions,
  signal: AbortSignal,
  show: (line: string) => void,
  onProblem: (problem: string) => void,
): Promise<void> {
  const { config, namespace } = cluster;
  const { since: _, ...fromTheFirst } = { ...options, tail: undefined };
  let problem = '';
  let last: { readonly id: string | undefined; readonly endedAt: Date } | undefined;
  for (; !signal.aborted; await sleep(systemClock, AGAIN_MS, signal)) {
    const { id, isRunning } = await containerOf(cluster, worker, options.container);
    const isKnown = last !== undefined && id === last.id;
    if (isKnown && id !== undefined && !isRunning) continue;
    // The same container still runs: the connection broke.
    const resumed = isKnown && last !== undefined ? { since: last.endedAt } : {};
    const next = last === undefined ? options : { ...fromTheFirst, ...resumed };
    try {
      for await (const line of logLines(config, { namespace, name: worker }, next, signal)) {
        show(line);
        last = { id, endedAt: new Date() };
      }
      last = { id, endedAt: new Date() };
      problem = '';
    } catch (error) {
      const text = errorText(error);
      if (!signal.aborted && text !== problem) onProblem(text);
      problem = text;
    }
  }
}

/** Without `id`: no container has started yet. */
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
