// The streams of each worker, as a headline and a table.
import type { Line, Span, Table } from '../../cli/render.ts';
import { loadOf, type Weights } from '../checks/shares.ts';
import {
  isSameSet,
  type Observation,
  streamsOf,
  type WorkerObservation,
} from '../cluster/observation.ts';

export type BoardNotes = {
  readonly pool: string;
  /** Streams that have just come to their worker. */
  readonly news: ReadonlySet<string>;
  /** How long the current change has lasted, or the last one took. */
  readonly seconds: number | undefined;
  readonly isOperatorUp: boolean;

  readonly isVerified: boolean;
};

export function boardOf(
  observed: Observation,
  notes: BoardNotes,
): { readonly headline: Line; readonly table: Table } {
  const prefix = sharedPrefix([...observed.streams, ...observed.workers.flatMap(streamsOf)]);
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
        worker.answer.ok ? String(worker.answer.streams.length) : '-',
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
    { text: version === undefined ? 'not published yet' : `version ${version}` },
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

/** From the worker's answer: the operator writes its status later, and not at every change. */
export function stateOf({ pod, answer, slice, entry }: WorkerObservation) {
  if (pod === undefined) return 'No pod';
  if (pod.isEnding) return 'Ending';
  if (!pod.isReady) return 'Starting';
  if (!answer.ok) return 'Silent';
  if (slice === undefined) return 'Waiting';
  if (answer.version >= slice.version && isSameSet(slice.jobs, answer.streams)) return 'Converged';
  return entry?.state === 'Stuck' ? 'Stuck' : 'Refreshing';
}

function stateCell(worker: WorkerObservation): Span {
  const state = stateOf(worker);
  const isBad = state === 'No pod' || state === 'Silent' || state === 'Stuck';
  return { text: state, style: state === 'Converged' ? 'good' : isBad ? 'bad' : 'busy' };
}

/** What its streams reserve, of its capacity. */
const loadCell = (worker: WorkerObservation, { weights, capacity }: Observation): string =>
  worker.answer.ok
    ? `${loadOf(worker, weights)}${capacity === undefined ? '' : `/${capacity}`}`
    : '-';

/** The version that it confirms, and the assigned one while that is newer. */
function versionCell({ answer, slice }: WorkerObservation): Span {
  const confirmed = answer.ok ? String(answer.version) : '-';
  if (slice === undefined) return { text: confirmed, style: 'faint' };
  return answer.ok && answer.version >= slice.version
    ? { text: String(slice.version) }
    : { text: `${confirmed}→${slice.version}`, style: 'busy' };
}

/** The newest first, then the heaviest: not all may fit. */
function streamsCell(
  { answer, pod }: WorkerObservation,
  prefix: string,
  news: ReadonlySet<string>,
  weights: Weights,
): Span | readonly Span[] {
  if (!answer.ok) {
    const text = pod?.isReady === true ? answer.reason : (pod?.trouble ?? 'not ready yet');
    return { text, style: 'faint' };
  }
  const weightOf = (stream: string): number => weights.get(stream) ?? 0;
  const shown = (stream: string): string =>
    `${stream.slice(prefix.length)}${weightOf(stream) > 0 ? `(${weightOf(stream)})` : ''}`;
  const isNew = (stream: string): number => (news.has(stream) ? 1 : 0);
  return [...answer.streams]
    .sort((a, b) => isNew(b) - isNew(a) || weightOf(b) - weightOf(a))
    .map((stream) =>
      isNew(stream) ? { text: `+${shown(stream)}`, style: 'news' } : { text: shown(stream) },
    );
}

/** Up to a colon: "stream:" of "stream:cnbc" and "stream:cars". */
export function sharedPrefix(names: readonly string[]): string {
  const [first = ''] = names;
  const prefix = first.slice(0, first.indexOf(':') + 1);
  return names.length > 1 && names.every((name) => name.startsWith(prefix)) ? prefix : '';
}
