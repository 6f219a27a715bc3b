// What does the engine need of a kind, and who observes it? What wakes it, how to observe it, how
// to decide.
import type { Kind } from '../../api/kinds.ts';
import type { KubeObject, Ref } from '../../api/objects.ts';
import type { Decision, DecisionReport, Refusal } from '../../core/decision.ts';
import type { Work } from '../../core/work.ts';
import type { Subscription } from '../watch/subscriptions.ts';

export type Wake = (key: string) => void;

/** A kind that remembers nothing besides its caches needs none of the optional methods. */
export type Controller<World, Decided extends Decision = Decision> = {
  readonly name: string;
  /** What to watch; each change wakes the keys whose decision it may alter. */
  subscriptions(wake: Wake): readonly Subscription[];
  /** Every key that exists, for the start and for resyncs. */
  keys(): Iterable<string>;
  /**
   * The world of one object as a plain value; undefined when the object is gone. May read from the
   * API server, writes nothing. `refused`: why the last decision was refused, if it was.
   */
  observe(key: string, refused: Refusal | undefined): Promise<World | undefined>;
  /** Pure. Yields now and then, so that other work can run. */
  decide(world: World, now: number): Work<Decided>;
  /**
   * What to write when observing or deciding failed, from the object alone; undefined when it is
   * gone.
   */
  decideFailed(key: string, refused: Refusal | undefined, now: number): Decision | undefined;
  /** What a decision brings besides steps, such as probes; also when a step is refused. */
  follow?(key: string, decision: Decided): void;
  /** What the log adds to the steps that were carried out. */
  facts?(decision: Decided): object;
  /**
   * A write of this object got no answer, or found it changed: what the controller remembers of it
   * may be outdated.
   */
  markOutdated?(kind: Kind, ref: Ref): void;
  /** The scale of this object was written; `scale` is its present state. */
  scaled?(kind: Kind, ref: Ref, scale: KubeObject): void;
  /** The object is gone, or another replica leads. */
  forget?(key: string): void;
  /** This replica decides nothing until it leads again. */
  paused?(): void;
  /**
   * What a key means has changed while this replica decides nothing: what waits for a decision
   * about an object that is gone must not gather.
   */
  skipped?(key: string): void;
  /** The process ends. */
  close?(): Promise<void>;
};

/** Such as metrics and introspection. It changes nothing. */
export type Observer<World, Decided extends Decision = Decision> = {
  /** A decision is about to be carried out. */
  decided(key: string, report: DecisionReport<World, Decided>): void;
  /** Observing, deciding or a write failed. */
  failed(key: string): void;
  /** The object is gone, or another replica leads. */
  forgotten(key: string): void;
};
