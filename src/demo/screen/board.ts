// Who consumes what, as a headline and a table?
import type { Line, Span, Table } from '../../cli/render.ts';
import { loadOf, type Weights } from '../checks/shares.ts';
import type { Observation, WorkerObservation } from '../cluster/observation.ts';

export type BoardNotes = {
  readonly pool: string;
  /** Streams that have just come to their worker. */
  readonly news: ReadonlySet<string>;
  /** Since what is going on began, or what it took. */
  readonly seconds: number | undefined;
  readonly isOperatorUp: boolean;
  /** All that was wanted is verified. */
  readonly isVerified: boolean;
};

export function boardOf(
  observed: Observation,
  notes: BoardNotes,
): { readonly headline: Line; readonly table: Table } {
  const prefix = sharedPrefix([
    ...observed.streams,
    ...observed.workers.flatMap(({ told }) => (told.ok ? told.streams : [])),
  ]);
  const hasWeights = observed.weights.size > 0;
  const title = prefix === '' ? 'STREAMS' : `STREAMS (${prefix}…)`;
  return {
    headline: headlineOf(observed, notes),
    table: {
      columns: [
        { title: 'WORKER' },
        { title: 'STATE', least: 10 },
        { title: 'VERSION' },
        ...(hasWeights ? [{ title: 'LOAD', align: 'right' } as const] : []),
        { title: '#', align: 'right', least: 2 },
        { title },
      ],
      rows: observed.workers.map((worker) => [
        worker.name,
        stateCell(worker),
        versionCell(worker),
        ...(hasWeights ? [loadCell(worker, observed)] : []),
        worker.told.ok ? String(worker.told.streams.length) : '-',
        streamsCell(worker, prefix, notes.news, observed.weights),
      ]),
    },
  };
}

function headlineOf(
  { streams, version, replicas, workers }: Observation,
  { pool, seconds, isOperatorUp, isVerified }: BoardNotes,
): Line {
  const converged = workers.filter((worker) => stateOf(worker) === 'Converged').length;
  const style = isVerified ? 'good' : 'busy';
  const parts: readonly Span[] = [
    { text: `pool ${pool}`, style: 'strong' },
    { text: version === undefined ? 'nothing published' : `version ${version}` },
    { text: `${streams.length} streams` },
    {
      text: `${converged}/${replicas} workers converged`,
      style: converged === replicas ? 'good' : 'busy',
    },
    ...(isOperatorUp ? [] : [{ text: 'operator down', style: 'bad' } as const]),
    ...(seconds === undefined
      ? []
      : [{ text: `${isVerified ? 'verified in ' : ''}${seconds.toFixed(1)} s`, style } as const]),
  ];
  return parts.flatMap((part, at) => (at === 0 ? [part] : [{ text: ' · ', style: 'faint' }, part]));
}

type State =
  | 'No pod'
  | 'Ending'
  | 'Starting'
  | 'Silent'
  | 'Waiting'
  | 'Refreshing'
  | 'Stuck'
  | 'Converged';

/**
 * As it is right now: the operator's own word is written when something has come of it, not at
 * every turn.
 */
export function stateOf({ pod, told, slice, entry }: WorkerObservation): State {
  if (pod === undefined) return 'No pod';
  if (pod.isEnding) return 'Ending';
  if (!pod.isReady) return 'Starting';
  if (!told.ok) return 'Silent';
  if (slice === undefined) return 'Waiting';
  const isSame =
    told.streams.length === slice.jobs.length &&
    slice.jobs.every((stream) => told.streams.includes(stream));
  if (told.version >= slice.version && isSame) return 'Converged';
  return entry?.state === 'Stuck' ? 'Stuck' : 'Refreshing';
}

function stateCell(worker: WorkerObservation): Span {
  const state = stateOf(worker);
  const isBad = state === 'No pod' || state === 'Silent' || state === 'Stuck';
  return { text: state, style: state === 'Converged' ? 'good' : isBad ? 'bad' : 'busy' };
}

/** Of its capacity, what the streams reserve that it runs. */
const loadCell = (worker: WorkerObservation, { weights, capacity }: Observation): string =>
  worker.told.ok
    ? `${loadOf(worker, weights)}${capacity === undefined ? '' : `/${capacity}`}`
    : '-';

/** What it runs; and, while that is not what it was assigned, what it was. */
function versionCell({ told, slice }: WorkerObservation): Span {
  const confirmed = told.ok ? String(told.version) : '-';
  if (slice === undefined) return { text: confirmed, style: 'faint' };
  return told.ok && told.version >= slice.version
    ? { text: String(slice.version) }
    : { text: `${confirmed}→${slice.version}`, style: 'busy' };
}

/** The newest first, then the heaviest: they are to be seen where not all fit. */
function streamsCell(
  { told, pod }: WorkerObservation,
  prefix: string,
  news: ReadonlySet<string>,
  weights: Weights,
): Span | readonly Span[] {
  if (!told.ok)
    return {
      text: pod?.isReady === true ? told.reason : (pod?.trouble ?? 'not up yet'),
      style: 'faint',
    };
  const weightOf = (stream: string): number => weights.get(stream) ?? 0;
  const shown = (stream: string): string =>
    `${stream.slice(prefix.length)}${weightOf(stream) > 0 ? `(${weightOf(stream)})` : ''}`;
  const streams = [...told.streams].sort((a, b) => weightOf(b) - weightOf(a));
  const fresh = streams
    .filter((stream) => news.has(stream))
    .map((stream): Span => ({ text: `+${shown(stream)}`, style: 'news' }));
  const others = streams
    .filter((stream) => !news.has(stream))
    .map((stream): Span => ({ text: shown(stream) }));
  return [...fresh, ...others];
}

/** Up to a colon: "stream:" of "stream:cnbc" and "stream:cars". */
export function sharedPrefix(names: readonly string[]): string {
  const [first = ''] = names;
  const prefix = first.slice(0, first.indexOf(':') + 1);
  return names.length > 1 && names.every((name) => name.startsWith(prefix)) ? prefix : '';
}
