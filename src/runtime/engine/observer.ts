// Who watches the engine, such as metrics and introspection? An observer changes nothing.
import type { Decision, DecisionReport } from '../../core/decision.ts';

export type Observer<World, Decided extends Decision = Decision> = {
  /** A decision is about to be carried out. */
  decided(key: string, report: DecisionReport<World, Decided>): void;
  /** Observing, deciding or a write failed. */
  failed(key: string): void;
  /** The object is gone, or another replica leads. */
  forgotten(key: string): void;
};
