// How does a walk at random go on? One number after another, each for a period, whichever replica
// leads; a number of a seed is the same size each time, within the bounds.
import { asNumber, dig } from '../../../../src/api/objects.ts';
import type { Scaled } from './changes.ts';
import { type Problem, problem } from './checks/problem.ts';
import type { Scene, SceneMember } from './scene.ts';
import { periodMsIn } from './wanted.ts';

/** Clocks tick in whole milliseconds. */
const TICK_MS = 10;
/** What has lasted so long the operator knows, and has told. */
const KNOWN_MS = 1_000;
/** Status may lag behind: it writes mere progress every two seconds. */
const LAG_MS = 3_000;

type Draw = {
  readonly uid: string | undefined;
  /** Undefined: none yet. */
  readonly seed: number | undefined;
  readonly number: number;
  readonly at: number;
};

/** Scaled before any status has named the size. */
type Ahead = { readonly at: number; readonly member: SceneMember; readonly replicas: number };

const textOf = ({ bounds: { least, most } }: Scene): string => `${least} to ${most}`;

const seedIn = (from: unknown): number | undefined => asNumber(dig(from, 'seed'));

export class Draws {
  /** Undefined: not known. */
  #last: Draw | undefined;
  #ahead: readonly Ahead[] = [];
  #period = { ms: 0, since: 0 };
  #bounds = { text: '', since: 0 };
  /** By seed, number and bounds. */
  readonly #sizes = new Map<string, number>();

  /** Status was made up, or an older one restored. */
  forget(): void {
    this.#last = undefined;
    this.#ahead = [];
  }

  /** The operator that scaled ahead may have ended before it wrote status. */
  interrupt(): void {
    this.#ahead = [];
  }

  /** The next number may be drawn now, or the same within other bounds: its size is not known. */
  mayBeDrawn(scene: Scene, now: number): boolean {
    const { group, policy } = scene;
    if (policy !== 'Random') return false;
    const { text, since } = this.#bounds;
    if (text !== textOf(scene) || now - since < KNOWN_MS) return true;
    const isOver = now - (this.#last?.at ?? 0) >= this.#period.ms - TICK_MS;
    return isOver || this.#last?.seed !== seedIn(dig(group['spec'], 'policy', 'random'));
  }

  /** A size is being given that no status has named yet. */
  get isAhead(): boolean {
    return this.#ahead.length > 0;
  }

  noteAhead({ before: member, after: { replicas } }: Scaled, at: number): void {
    this.#ahead = [...this.#ahead, { at, member, replicas }];
  }

  /** At each change, by any writer. `isJudged`: nothing keeps the operator from its work. */
  take(
    scene: Scene,
    before: Scene | undefined,
    now: number,
    isJudged: boolean,
  ): readonly Problem[] {
    const periodMs = periodMsIn(scene.group);
    const text = textOf(scene);
    if (periodMs !== this.#period.ms) this.#period = { ms: periodMs, since: now };
    if (text !== this.#bounds.text) this.#bounds = { text, since: now };
    if (before?.status === scene.status && this.#last !== undefined) return [];
    const drawn = dig(scene.status, 'drawn');
    const { uid } = scene.group.metadata;
    const [seed, number] = [seedIn(drawn), asNumber(dig(drawn, 'number')) ?? 0];
    const last = this.#last?.uid === uid ? this.#last : undefined;
    const isSame = last?.seed === seed && last?.number === number;
    // A new leader does not know since when.
    const at = isSame ? last.at : last === undefined ? Number.NEGATIVE_INFINITY : now;
    this.#last = { uid, seed, number, at };
    if (seed === undefined) return [];
    return [
      ...(last === undefined || isSame ? [] : this.#step(last, { uid, seed, number, at })),
      ...(isJudged ? this.#size(scene, now) : []),
      ...(isSame && before?.size === scene.size ? [] : this.#told(scene)),
    ];
  }

  #step(last: Draw, { seed, number, at }: Draw): readonly Problem[] {
    const wanted = last.seed === seed ? last.number + 1 : 0;
    if (number !== wanted)
      return [problem('drawn', 'number', `number ${number} of seed ${seed}, not ${wanted}`)];
    const [{ ms, since }, tookMs] = [this.#period, at - last.at];
    return last.seed !== seed || tookMs >= ms - TICK_MS || at - since < KNOWN_MS
      ? []
      : [problem('drawn', 'period', `number ${number} ${tookMs} ms after the last, not ${ms}`)];
  }

  #size({ group, status, bounds, policy }: Scene, now: number): readonly Problem[] {
    const isOfNow = dig(status, 'observedGeneration') === group.metadata.generation;
    if (policy !== 'Random' || !isOfNow || now - this.#bounds.since < KNOWN_MS) return [];
    const size = asNumber(dig(status, 'proposal', 'replicas')) ?? -1;
    const { seed, number } = this.#last ?? {};
    const key = `number ${number} of seed ${seed} from ${this.#bounds.text}`;
    const known = this.#sizes.get(key) ?? size;
    this.#sizes.set(key, known);
    if (size < bounds.least || size > bounds.most)
      return [problem('drawn', 'bounds', `${key} is ${size}`)];
    return size === known ? [] : [problem('drawn', 'size', `${key} is ${size}, and was ${known}`)];
  }

  /** A member that was scaled ahead of it has its size. */
  #told({ size = -1 }: Scene): readonly Problem[] {
    const ahead = this.#ahead;
    this.#ahead = [];
    return ahead
      .filter(({ member, replicas }) => member.at(size) !== replicas)
      .map(({ member: { key }, replicas }) =>
        problem('targets', key, `${key} is scaled to ${replicas}, and then size ${size} is drawn`),
      );
  }

  /** `since`: nothing has kept the operator from its work, and there was no edit. */
  late({ group, policy }: Scene, since: number, now: number): readonly Problem[] {
    const untold = this.#ahead.filter(({ at }) => now - at > LAG_MS);
    if (untold.length > 0)
      return untold.map(({ member: { key }, replicas }) =>
        problem('targets', key, `${key} is scaled to ${replicas}, and no status says why`),
      );
    if (policy !== 'Random' || this.#last === undefined) return [];
    const seed = seedIn(dig(group['spec'], 'policy', 'random'));
    if (this.#last.seed !== seed)
      return now - since > LAG_MS ? [problem('drawn', 'seed', `nothing is drawn of ${seed}`)] : [];
    const lateMs = now - Math.max(this.#last.at, since) - this.#period.ms;
    return lateMs > LAG_MS
      ? [problem('drawn', 'late', `number ${this.#last.number} stays ${lateMs} ms too long`)]
      : [];
  }
}
