// How are members of a spread group kept apart? By exchanging streams of equal weight, so that neither loads nor counts change.
import { NOBODY, type Problem } from './problem.ts';

/** How many of each group stand on each worker. */
export class GroupCounts {
  readonly #problem: Problem;
  readonly #counts = new Map<number, number>();

  constructor(problem: Problem, owner: Int32Array) {
    this.#problem = problem;
    if (problem.groups === 0) return;
    for (let stream = 0; stream < problem.count; stream += 1) this.change(stream, owner[stream] ?? NOBODY, 1);
  }

  /** Of the stream's own group; 0 for a stream without one. */
  on(stream: number, worker: number): number {
    return this.#counts.get(this.#key(stream, worker)) ?? 0;
  }

  change(stream: number, worker: number, by: 1 | -1): void {
    if (worker === NOBODY || this.#problem.group[stream] === NOBODY) return;
    const key = this.#key(stream, worker);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + by);
  }

  #key(stream: number, worker: number): number {
    const group = this.#problem.group[stream] ?? NOBODY;
    return group === NOBODY ? -1 : group * this.#problem.workers + worker;
  }
}

/** Each exchange brings a group nearer to even and none further from it; so it ends, and from its own result does nothing. */
export function spreadGroups(problem: Problem, owner: Int32Array, isOpen: Uint8Array): void {
  if (problem.groups === 0) return;
  const counts = new GroupCounts(problem, owner);
  const lists = freeByWorker(problem, owner, isOpen);
  const open = lists.flatMap((_, worker) => (isOpen[worker] === 1 ? [worker] : []));
  const groups = membersByGroup(problem);
  // What one group exchanges may make room for another, also for one that was done.
  for (let isMoving = true; isMoving; ) {
    isMoving = false;
    for (const members of groups) while (exchangeOne(problem, owner, counts, lists, open, members)) isMoving = true;
  }
}

function membersByGroup(problem: Problem): readonly number[][] {
  const members: number[][] = Array.from({ length: problem.groups }, () => []);
  for (let stream = 0; stream < problem.count; stream += 1) members[problem.group[stream] ?? NOBODY]?.push(stream);
  return members;
}

function freeByWorker(problem: Problem, owner: Int32Array, isOpen: Uint8Array): readonly number[][] {
  const lists: number[][] = Array.from({ length: problem.workers }, () => []);
  for (let stream = 0; stream < problem.count; stream += 1) {
    const worker = owner[stream] ?? NOBODY;
    if (worker !== NOBODY && isOpen[worker] === 1 && problem.pin[stream] === NOBODY) lists[worker]?.push(stream);
  }
  return lists;
}

function exchangeOne(
  problem: Problem,
  owner: Int32Array,
  counts: GroupCounts,
  lists: readonly number[][],
  open: readonly number[],
  members: readonly number[],
): boolean {
  const [first] = members;
  if (first === undefined || open.length < 2) return false;
  const ranked = [...open].sort((a, b) => counts.on(first, b) - counts.on(first, a) || a - b);
  const crowded = ranked.filter((worker) => counts.on(first, worker) > 1);
  for (const from of crowded) {
    for (const to of [...ranked].reverse()) {
      if (counts.on(first, from) - counts.on(first, to) < 2) break;
      for (const member of (lists[from] ?? []).filter((stream) => problem.group[stream] === problem.group[first])) {
        const other = (lists[to] ?? []).find((stream) => isPartner(problem, counts, member, stream, from, to));
        if (other === undefined) continue;
        exchange(owner, counts, lists, member, from, other, to);
        return true;
      }
    }
  }
  return false;
}

function isPartner(problem: Problem, counts: GroupCounts, member: number, other: number, from: number, to: number): boolean {
  if (problem.weight[other] !== problem.weight[member] || problem.group[other] === problem.group[member]) return false;
  return problem.group[other] === NOBODY || counts.on(other, from) < counts.on(other, to);
}

function exchange(
  owner: Int32Array,
  counts: GroupCounts,
  lists: readonly number[][],
  one: number,
  from: number,
  other: number,
  to: number,
): void {
  for (const [stream, leaves, joins] of [
    [one, from, to],
    [other, to, from],
  ] as const) {
    owner[stream] = joins;
    counts.change(stream, leaves, -1);
    counts.change(stream, joins, 1);
    const list = lists[leaves] ?? [];
    list.splice(list.indexOf(stream), 1);
    lists[joins]?.push(stream);
  }
}
