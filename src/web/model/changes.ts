// Which streams have moved between two boards?
import type { ShownBoard } from '../../api/introspection.ts';
import type { Column } from './blocks.ts';

export type Travel = { readonly stream: string; readonly from: string; readonly to: string };

export const workersIn = (columns: readonly Column[]): ReadonlyMap<string, string> =>
  new Map(
    columns.flatMap(({ blocks }) => blocks.map(({ name, worker }) => [name, worker] as const)),
  );

/** From one worker to another: new and removed streams do not travel. */
export function travelsBetween(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly Travel[] {
  return [...after].flatMap(([stream, to]) => {
    const from = before.get(stream);
    return from === undefined || from === to ? [] : [{ stream, from, to }];
  });
}

/** Where streams are not named: the moves of the change that has just come into force. */
export function travelsOf(before: ShownBoard | undefined, after: ShownBoard): readonly Travel[] {
  const { lastChange } = after;
  const isNew =
    before !== undefined &&
    lastChange !== undefined &&
    before.version < lastChange.version &&
    lastChange.version <= after.version;
  if (!isNew) return [];
  return lastChange.moves.first.flatMap(({ stream, from, to }) =>
    from === undefined || to === undefined ? [] : [{ stream, from, to }],
  );
}
