// When did each worker run which streams, by the workers' own logs? Did a stream ever run twice?
import { isSameSet, type WorkerObservation } from '../cluster/observation.ts';
import type { WorkerRecords } from './records.ts';

/** From the start of its process until nothing is left of it; without an end it still runs. */
type StreamHolding = {
  readonly stream: string;
  readonly worker: string;
  readonly pod: string;
  readonly from: number;
  readonly until: number | undefined;
};

type Overlap = { readonly first: StreamHolding; readonly second: StreamHolding };

/** From one worker to another. */
export type Handover = {
  readonly from: StreamHolding;
  readonly to: StreamHolding;
  readonly gapMs: number;
};

export function holdingsOf(logs: readonly WorkerRecords[]): readonly StreamHolding[] {
  return logs.flatMap(({ worker, pod, records }) => {
    const open = new Map<string, StreamHolding>();
    const ended: StreamHolding[] = [];
    for (const record of records) {
      if (record.what === 'told to end') continue;
      const { what, stream, at } = record;
      const begun = open.get(stream);
      if (what === 'started') open.set(stream, { stream, worker, pod, from: at, until: undefined });
      else if (begun !== undefined) {
        ended.push({ ...begun, until: at });
        open.delete(stream);
      }
    }
    return [...ended, ...open.values()];
  });
}

/** Every pair: a long holding may overlap several. */
export function overlapsOf(holdings: readonly StreamHolding[]): readonly Overlap[] {
  return byStream(holdings).flatMap((turns) =>
    turns.flatMap((first, at) =>
      turns
        .slice(at + 1)
        .filter(({ from }) => from < (first.until ?? Number.POSITIVE_INFINITY))
        .map((second) => ({ first, second })),
    ),
  );
}

export function handoversOf(holdings: readonly StreamHolding[]): readonly Handover[] {
  return byStream(holdings).flatMap((turns) =>
    turns.slice(1).flatMap((to, at) => {
      const from = turns[at];
      if (from?.until === undefined || from.worker === to.worker) return [];
      return [{ from, to, gapMs: to.from - from.until }];
    }),
  );
}

function byStream(holdings: readonly StreamHolding[]): readonly (readonly StreamHolding[])[] {
  const inOrder = [...holdings].sort((a, b) => a.from - b.from);
  return [...Map.groupBy(inOrder, ({ stream }) => stream).values()];
}

/** Where records differ from the worker's own answer, something is missing from them. */
export function unlikeAnswers(
  holdings: readonly StreamHolding[],
  workers: readonly WorkerObservation[],
): readonly string[] {
  return workers.flatMap(({ name, pod, answer }) => {
    if (!answer.ok || pod === undefined) return [];
    const { streams } = answer;
    const recorded = holdings
      .filter(({ pod: uid, until }) => uid === pod.uid && until === undefined)
      .map(({ stream }) => stream);
    if (isSameSet(recorded, streams)) return [];
    return [`${name} runs ${recorded.length} streams by its log, but reports ${streams.length}`];
  });
}

export const overlapText = ({ first, second }: Overlap): string =>
  `${first.stream} was started on ${second.worker} ${
    first.until === undefined
      ? 'while it was still running'
      : `${first.until - second.from} ms before it had stopped`
  } on ${first.worker}`;

/** "22 starts and 11 stops recorded by 5 workers". */
export function recordsText(holdings: readonly StreamHolding[]): string {
  const stops = holdings.filter(({ until }) => until !== undefined);
  const pods = new Set(holdings.map(({ pod }) => pod));
  return `${holdings.length} starts and ${stops.length} stops recorded by ${pods.size} workers`;
}

/**
 * "11 handovers so far, with at least 151 ms between the stop on one worker and the start on the
 * next".
 */
export function handoversText(handovers: readonly Handover[]): string {
  const least = Math.min(...handovers.map(({ gapMs }) => gapMs));
  return `${handovers.length} handovers so far, with at least ${least} ms between the stop on one worker and the start on the next`;
}
