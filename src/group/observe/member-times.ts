// Since when has a member had its replicas, and when did it last change? The times are recorded
// when a change arrives, since a decision may follow a while later.
import type { ObservedSize } from '../../api/observed.ts';
import { isSameJson } from '../../core/json.ts';
import type { MemberTimes } from '../world.ts';

type Noted = MemberTimes & { readonly arrived: Arrived };

type Arrived = {
  readonly uid: string;
  readonly replicas: number;
  readonly size: ObservedSize;
  readonly isConverged: boolean;
};

export class MemberTimesNoted {
  readonly #noted = new Map<string, Noted>();

  take(key: string, arrived: Arrived | undefined, nowMs: number): void {
    if (arrived === undefined) this.#noted.delete(key);
    else this.#noted.set(key, noted(this.#noted.get(key), arrived, nowMs));
  }

  /** For a member without recorded times: now. */
  of(key: string, nowMs: number): MemberTimes {
    const noted = this.#noted.get(key);
    return { replicasMs: noted?.replicasMs ?? nowMs, changedMs: noted?.changedMs ?? nowMs };
  }
}

function noted(
  before: Noted | undefined,
  { uid, replicas, size, isConverged }: Arrived,
  nowMs: number,
): Noted {
  const arrived = { uid, replicas, size, isConverged };
  if (before === undefined || before.arrived.uid !== uid)
    return { arrived, replicasMs: nowMs, changedMs: nowMs };
  return {
    arrived,
    replicasMs: before.arrived.replicas === replicas ? before.replicasMs : nowMs,
    changedMs: isSameJson(before.arrived, arrived) ? before.changedMs : nowMs,
  };
}
