// In which order are the files of one publication written, so that between two writes each stream
// is in one of them?
import { type Assignment, placedIn, writeAssignment } from '../../api/assignment.ts';
import type { Work } from '../../core/work.ts';
import { fileOf, type PublishInput, type ShardWrite } from './publication.ts';
import { assignmentIn } from './published.ts';

/**
 * A file that a stream enters is written before the file that it leaves. Of files that exchange
 * streams one is first: a stream that runs is in neither until the next write, a completed one
 * stays recorded.
 */
export function* receiversFirst(
  input: Pick<PublishInput, 'world'>,
  writes: readonly ShardWrite[],
): Work<readonly ShardWrite[]> {
  if (writes.length < 2) return writes;
  const left = new Map<ShardWrite, readonly string[]>();
  const entered = new Map<string, ShardWrite[]>();
  for (const write of writes) {
    yield;
    const file = fileOf(input, write.shard);
    const before = file && assignmentIn(file);
    const had = changedIn(before, write.assignment);
    const has = changedIn(write.assignment, before);
    left.set(
      write,
      [...had].filter((stream) => !has.has(stream)),
    );
    for (const stream of has)
      if (!had.has(stream)) entered.set(stream, [...(entered.get(stream) ?? []), write]);
  }
  yield;
  const visited = new Set<ShardWrite>();
  const ordered = new Map<ShardWrite, ShardWrite>();
  const visit = (write: ShardWrite): void => {
    if (visited.has(write)) return;
    visited.add(write);
    const leaving = left.get(write) ?? [];
    for (const stream of leaving) for (const to of entered.get(stream) ?? []) visit(to);
    // These are written later: they exchange streams with this file.
    const kept = leaving.flatMap((stream) =>
      (entered.get(stream) ?? []).flatMap((to) => {
        const token = ordered.has(to) ? undefined : to.assignment.completed?.get(stream);
        return token === undefined ? [] : [[stream, token] as const];
      }),
    );
    ordered.set(write, kept.length === 0 ? write : recording(write, kept));
  };
  for (const write of writes) visit(write);
  return [...ordered.values()];
}

function recording(
  write: ShardWrite,
  completed: readonly (readonly [stream: string, token: string])[],
): ShardWrite {
  const all = new Map([...(write.assignment.completed ?? []), ...completed]);
  const assignment = { ...write.assignment, completed: all };
  return { ...write, assignment, text: writeAssignment(assignment) };
}

/**
 * Streams of slices, and records of completed and moved ones, that the other assignment has not
 * just so.
 */
function changedIn(of: Assignment | undefined, than: Assignment | undefined): ReadonlySet<string> {
  const slices = [...(of?.workloads ?? [])].filter(
    ([worker, slice]) => than?.workloads.get(worker) !== slice,
  );
  const recorded = (['completed', 'movedFrom'] as const).flatMap((record) =>
    [...(of?.[record]?.keys() ?? [])].filter((name) => than?.[record]?.has(name) !== true),
  );
  return new Set([...slices.flatMap(([, slice]) => placedIn(slice)), ...recorded]);
}
