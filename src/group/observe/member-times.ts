// Since when has a member had its replicas, and since when is it settled at them? Noted when a
// change arrives: a decision may be made a while later.
import type { ObservedSize } from '../../api/observed.ts';
import type { MemberTimes } from '../world.ts';

type Noted = MemberTimes & {
  readonly uid: string;
  readonly replicas: number;
};

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

  /** What was not noted yet is so from now on. */
  of(key: string, arrived: Arrived, nowMs: number): MemberTimes {
    this.take(key, arrived, nowMs);
    const { replicasMs, settledMs } = this.#noted.get(key) ?? {
      replicasMs: nowMs,
      settledMs: undefined,
    };
    return { replicasMs, settledMs };
  }
}

function noted(
  before: Noted | undefined,
  { uid, replicas, size, isConverged }: Arrived,
  nowMs: number,
): Noted {
  const isSame = before?.uid === uid && before.replicas === replicas;
  const isSettled =
    isConverged &&
    size.observedGeneration >= size.generation &&
    size.present === replicas &&
    size.ready >= replicas;
  return {
    uid,
    replicas,
    replicasMs: isSame ? before.replicasMs : nowMs,
    settledMs: isSettled ? ((isSame ? before.settledMs : undefined) ?? nowMs) : undefined,
  };
}
