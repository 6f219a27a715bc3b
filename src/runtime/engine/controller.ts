// What makes a kind a controlled one? Which changes wake it, how its world is gathered, how it is
// decided.
import type { Kind } from '../../api/kinds.ts';
import type { Ref } from '../../api/objects.ts';
import type { Decision, Refusal } from '../../core/decision.ts';
import type { Work } from '../../core/work.ts';
import type { Subscription } from '../watch/subscriptions.ts';

export type Wake = (key: string) => void;

/** What is optional, a kind leaves out that remembers nothing besides its caches. */
export type Controller<World, Decided extends Decision = Decision> = {
  readonly name: string;
  /** What must be watched; each change wakes the keys whose decision it may alter. */
  subscriptions(wake: Wake): readonly Subscription[];
  /** Every key that exists: for the start, and for the periodic look. */
  keys(): Iterable<string>;
  /**
   * All that is known, as plain values; nothing when the object is gone. May read from the API
   * server, writes nothing. `refused`: what became of the last decision.
   */
  observe(key: string, refused: Refusal | undefined): Promise<World | undefined>;
  /** Pure, and in pieces: others go on in between. */
  decide(world: World, now: number): Work<Decided>;
  /**
   * Gathering or deciding failed: what is to be told of it. By the object alone; nothing when it is
   * gone.
   */
  decideFailed(key: string, refused: Refusal | undefined, now: number): Decision | undefined;
  /** What follows from a decision besides its steps, also when one of these is refused. */
  follow?(key: string, decision: Decided): void;
  /** What the log says of a decision, besides the steps that were carried out. */
  facts?(decision: Decided): object;
  /**
   * The API server may have carried out a write of this object, or not: what the controller
   * remembers of it may be outdated.
   */
  doubt?(kind: Kind, ref: Ref): void;
  /** It is gone: forget what was remembered of it. */
  forget?(key: string): void;
  /** Nothing is decided any more, until this replica leads again. */
  paused?(): void;
  /** The process ends. */
  close?(): Promise<void>;
};
