// Who looks on while the engine works? It is told, and changes nothing.
import type { Decision, DecisionReport } from '../../core/decision.ts';

export type Observer<World, Decided extends Decision = Decision> = {
  /** A decision is about to be carried out; to gather and to decide took so long. */
  decided(key: string, report: DecisionReport<World, Decided>): void;
  /** Gathering, deciding or a write. */
  failed(key: string): void;
  /** It is gone, or another replica sees to it now. */
  forgotten(key: string): void;
};
