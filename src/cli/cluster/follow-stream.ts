// How is the log of a stream followed while the stream moves? The logs of its workers are read one
// after the other. It ends when the stream leaves its pool, or nothing can be read for long.
import { kinds } from '../../api/kinds.ts';
import { asList, asString, dig } from '../../api/objects.ts';
import { errorText } from '../../api/text.ts';
import { LABEL_POOL } from '../../pool/publish/config-map.ts';
import { streamsOf } from '../../pool/streams/join.ts';
import type { PoolWorld } from '../../pool/world.ts';
import { sleep, systemClock } from '../../runtime/clock.ts';
import type { Terminal } from '../arguments/terminal.ts';
import { Wait } from '../arguments/waiting.ts';
import { lookAtChanges } from './changes.ts';
import type { Cluster } from './connect.ts';
import { boundText, lastLines } from './last-lines.ts';
import { type LogOptions, logLines } from './logs.ts';
import { observePool } from './observe-pool.ts';
import { Resumption } from './resumption.ts';

type Followed = {
  readonly stream: string;
  /** The worker that has the stream at first. */
  readonly worker: string;
  /** Its `tail` counts the lines that are meant. */
  readonly options: LogOptions;
  /** Is a line, without its time, to be shown? */
  readonly isMeant: (text: string) => boolean;
  /** Called with lines that begin with their time. */
  readonly show: (line: string) => void;
  /** How long to wait while no log can be read. */
  readonly timeoutMs: number;
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

/** Undefined for an invalid spec, or lists that cannot be read: the stream may be in them. */
function isRemoved({ pool: { spec }, lists }: PoolWorld, stream: string): boolean | undefined {
  const list = spec.ok ? streamsOf(spec.value, lists) : undefined;
  return list?.ok ? !list.streams.some(({ name }) => name === stream) : undefined;
}

/** Why it ended; undefined: the user has interrupted it. */
export async function followStream(
  cluster: Cluster,
  first: PoolWorld,
  followed: Followed,
  ended: AbortController,
  terminal: Pick<Terminal, 'problem' | 'note'>,
): Promise<string | undefined> {
  const { api, namespace } = cluster;
  const { stream, worker, options, timeoutMs } = followed;
  const pool = first.pool.meta.name;
  const reading = new Map<string, AbortController>();
  const done: Promise<void>[] = [];
  /** By worker: what its log waits for; undefined: it can be read. */
  const waits = new Map<string, string | undefined>();
  let why: string | undefined;
  let current: string | undefined = worker;
  let version = versionOf(first);
  const end = (because: string): void => {
    why ??= because;
    ended.abort();
  };
  const wait = new Wait({ clock: systemClock, note: terminal.note, timeoutMs, onTimeout: end });
  ended.signal.addEventListener('abort', () => wait.end());
  const showWait = (): void => {
    if (ended.signal.aborted) return;
    wait.for(current === undefined ? `a worker that has ${stream}` : waits.get(current));
  };
  const read = (from: string, how: LogOptions): void => {
    // The previous worker is read on: its last lines may come after the move.
    for (const [name, reader] of [...reading].slice(0, -1)) {
      reader.abort();
      reading.delete(name);
    }
    const reader = new AbortController();
    reading.set(from, reader);
    waits.set(from, `the log of ${from}`);
    const signal = AbortSignal.any([reader.signal, ended.signal]);
    const listener: Listener = {
      // A worker that the stream has left may be gone.
      onProblem: (problem) => {
        if (from === current) terminal.problem(problem);
      },
      onWait: (what) => {
        if (reader.signal.aborted) return;
        waits.set(from, what);
        showWait();
      },
    };
    done.push(readOn(cluster, { ...followed, worker: from, options: how }, signal, listener));
  };
  read(worker, options);
  showWait();
  const look = async (): Promise<void> => {
    const world = await observePool(api, namespace, pool, { probes: false });
    const next = workerOf(world, stream);
    const movedAt = changedAt(world, version);
    version = versionOf(world);
    if (next === undefined && isRemoved(world, stream))
      return end(`${stream} is no longer a stream of SwarmPool ${pool}`);
    if (next === current) return;
    current = next;
    terminal.problem(
      next === undefined ? `${stream} has no worker now` : `${stream} is now on ${next}`,
    );
    if (next !== undefined && !reading.has(next)) {
      const since = new Date(movedAt - CLOCKS_APART_MS);
      read(next, { ...options, tail: undefined, since });
    }
    showWait();
  };
  const assignments = {
    kind: kinds.ConfigMap,
    namespace,
    selectors: { labelSelector: `${LABEL_POOL}=${pool}` },
  };
  // A stream without a worker leaves no trace in the assignment when it is removed.
  const itself = {
    kind: kinds.SwarmPool,
    namespace,
    selectors: { fieldSelector: `metadata.name=${pool}` },
  };
  try {
    await Promise.all(
      [assignments, itself].map((target) => lookAtChanges(api, target, look, ended, terminal)),
    );
  } finally {
    wait.end();
  }
  await Promise.all(done);
  return why;
}

type Listener = {
  readonly onProblem: (problem: string) => void;
  /** Undefined: the log can be read. */
  readonly onWait: (what: string | undefined) => void;
};

/** A log ends with its container; that of the next container is read from its first line. */
async function readOn(
  cluster: Cluster,
  { stream, worker, options, isMeant, show }: Followed,
  signal: AbortSignal,
  { onProblem, onWait }: Listener,
): Promise<void> {
  const { config, namespace } = cluster;
  const pod = { namespace, name: worker };
  let first: LogOptions = { ...options, timestamps: true };
  const { since: _, ...fromTheFirst } = { ...first, tail: undefined };
  let resumed = new Resumption();
  let problem = '';
  let last: { readonly id: string | undefined; readonly endedAt: Date } | undefined;
  for (; !signal.aborted; await sleep(systemClock, AGAIN_MS, signal)) {
    const { id, isRunning } = await containerOf(cluster, worker, options.container);
    const isKnown = last !== undefined && id === last.id;
    if (isKnown && id !== undefined && !isRunning) {
      onWait(`the next container of ${worker}`);
      continue;
    }
    const isNext = last !== undefined && id !== undefined && !isKnown;
    if (isNext) resumed = new Resumption();
    try {
      if (first.tail !== undefined && first.tail > 0) {
        const wanted = { count: first.tail, isMeant };
        const found = await lastLines(config, pod, first, wanted, signal);
        for (const line of found.lines) show(line);
        if (found.bound !== undefined) onProblem(boundText(found, stream, worker));
        resumed = found.resumed;
        first = { ...first, tail: undefined };
      }
      // The same container still runs: the connection broke.
      const since = isKnown && last !== undefined ? { since: last.endedAt } : {};
      const next = { ...(last === undefined ? first : fromTheFirst), ...since, ...resumed.begin() };
      const onOpen = (): void => onWait(undefined);
      for await (const line of logLines(config, pod, next, signal, { onOpen })) {
        const text = resumed.take(line);
        if (text !== undefined && isMeant(text)) show(line);
        last = { id, endedAt: new Date() };
      }
      last = { id, endedAt: new Date() };
      problem = '';
    } catch (error) {
      const text = errorText(error);
      if (!signal.aborted && text !== problem) onProblem(text);
      problem = text;
      onWait(`the log of ${worker} (${text})`);
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
