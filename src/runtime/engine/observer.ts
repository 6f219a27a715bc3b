// Who looks on while the engine works? It is told, and changes nothing.
import type { Decision } from '../../core/decision.ts';

export type DecisionReport<World> = {
  readonly world: World;
  readonly decision: Decision;
  readonly now: number;
  readonly tookMs: number;
};

export type Observer<World> = {
  /** A decision is about to be carried out; to gather and to decide took so long. */
  decided(key: string, decided: DecisionReport<World>): void;
  /** Gathering, deciding or a write. */
  failed(key: string): void;
  /** It is gone, or another replica sees to it now. */
  forgotten(key: string): void;
};
