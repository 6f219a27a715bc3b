// Where does every stream arrive, if as many may move as it takes?
import type { Reason } from '../../core/reason.ts';
import type { Work } from '../../core/work.ts';
import type { PlacementReason } from '../reasons.ts';
import { heldElsewhere, type Leavers, leaversOf, moveElsewhere, withHeld } from './elsewhere.ts';
import type { Placement } from './placement.ts';
import type { AssignInput, AssignmentProblem } from './problem.ts';

/** Two rounds are usually enough; the next change continues from what eight have reached. */
const MOST_ROUNDS = 8;

/** By stream without a worker: why. */
export type Refused = Map<number, Reason<PlacementReason>>;

/** `isRestless`: another round might change the result. `isShort`: some streams lack room. */
export type Settled = {
  readonly placement: Placement;
  readonly refused: Refused;
  readonly isRestless: boolean;
  readonly isShort: boolean;
};

export type Arrived = Pick<Settled, 'placement' | 'refused'> & { readonly leavers: Leavers };

/** `exchanges`: how many pairs of streams may be exchanged so that groups are spread. */
export type Arrive = (from: AssignmentProblem, exchanges: number) => Work<Arrived>;

type Once = (problem: AssignmentProblem, exchanges: number) => Work<Settled>;

export function* arriveFrom(
  problem: AssignmentProblem,
  input: AssignInput,
  exchanges: number,
  assignOnce: Once,
): Work<Arrived> {
  const leavers = leaversOf(input, problem);
  let most = exchanges;
  const once = (at: AssignmentProblem): Work<Settled> => assignOnce(at, most);
  const settle = (before: Int32Array): Work<Settled> =>
    settleOnce(problem, before, leavers, once, input);
  let { placement, refused, isRestless } = yield* settle(problem.before);
  // A bounded number of exchanges is made in the first round.
  if (Number.isFinite(exchanges)) most = 0;
  for (let round = 1; isRestless && round < MOST_ROUNDS; round += 1) {
    const next = yield* settle(placement.owner);
    isRestless = next.placement.owner.some((worker, stream) => worker !== placement.owner[stream]);
    ({ placement, refused } = next);
  }
  return { placement, refused, leavers };
}

/** Streams that failed elsewhere stay where they went, unless another one is then unassigned. */
function* settleOnce(
  problem: AssignmentProblem,
  before: Int32Array,
  leavers: Leavers,
  once: (problem: AssignmentProblem) => Work<Settled>,
  { streams }: AssignInput,
): Work<Settled> {
  const { left } = leavers;
  let held = heldElsewhere(left, before, problem);
  let settled = yield* once(withHeld(problem, before, left, held));
  for (;;) {
    const { refused } = settled;
    const kept = new Set([...held].filter((stream) => !refused.has(stream)));
    if (kept.size === held.size) break;
    held = kept;
    settled = yield* once(withHeld(problem, before, left, held));
  }
  if (held.size > 0 && settled.isShort) {
    const free = yield* once({ ...problem, before });
    if (placesMore(free.refused, settled.refused, streams)) settled = { ...free, isRestless: true };
  }
  const hasMoved = yield* moveElsewhere(settled.placement, leavers, problem.before);
  return hasMoved ? { ...settled, isRestless: true } : settled;
}

/** The most important stream that only one of the two refuses decides. */
function placesMore(refused: Refused, others: Refused, streams: AssignInput['streams']): boolean {
  const priority = (stream: number): number => streams[stream]?.priority ?? 0;
  const [first] = [...refused.keys(), ...others.keys()]
    .filter((stream) => refused.has(stream) !== others.has(stream))
    .sort((a, b) => priority(b) - priority(a) || a - b);
  return first !== undefined && others.has(first);
}
