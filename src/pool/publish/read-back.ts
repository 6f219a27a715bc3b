// Which streams does a publication describe, and as what? Read where no list says it.
import { type Assignment, placedIn, type Slice } from '../../api/assignment.ts';
import { own } from '../../api/objects.ts';
import type { Stream } from '../streams.ts';

/** Edited by hand, it may name a stream twice. */
export const publishedStreams = ({ workloads, completed }: Assignment): readonly Stream[] => {
  const done = [...(completed?.keys() ?? [])].map(
    (name): Stream => ({ name, weight: 0, priority: 0, isReadBack: true }),
  );
  const streams = [...[...workloads.values()].flatMap(describedStreams), ...done];
  return [...new Map(streams.map((stream) => [stream.name, stream])).values()];
};

/** Exclusive: also those that leave the worker, while the next one waits for that. */
const describedIn = (slice: Slice): readonly string[] => [
  ...(slice.releasing ?? []).filter((name) => own(slice.weights, name) !== undefined),
  ...placedIn(slice),
];

function describedStreams(slice: Slice): readonly Stream[] {
  const suspended = new Set(slice.suspended);
  const added = new Set(slice.added);
  return describedIn(slice).map((name) => {
    const parameters = own(slice.parameters, name);
    return {
      ...{ name, weight: own(slice.weights, name) ?? 0, priority: 0, isReadBack: true },
      ...(parameters !== undefined && { parameters }),
      ...(suspended.has(name) && { isSuspended: true }),
      ...(added.has(name) && { isAdded: true }),
    };
  });
}
