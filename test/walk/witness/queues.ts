// What did a queue allow at a time: all jobs together, and those of one user?
import { asString, dig, type KubeObject } from '../../../src/api/objects.ts';
import { type Amounts, milliCpu } from './pods.ts';

type Allowed = {
  readonly quota: Amounts;
  readonly perUser: Amounts;
  readonly lowerPriorityEnds: boolean;
};
/** `allowed` undefined: there was no queue. */
type Period = { readonly sinceMs: number; readonly allowed: Allowed | undefined };

export class QueueHistory {
  /** When its spec was written last. */
  writtenMs = 0;
  readonly #periods: Period[] = [];
  #generation: number | undefined;

  /** `queue` undefined: it was deleted. */
  note(queue: KubeObject | undefined, sinceMs: number): void {
    this.#periods.push({ sinceMs, allowed: queue && allowedBy(queue) });
    if (queue === undefined || queue.metadata.generation !== this.#generation)
      this.writtenMs = sinceMs;
    this.#generation = queue?.metadata.generation;
  }

  get exists(): boolean {
    return this.#periods.at(-1)?.allowed !== undefined;
  }

  /** The largest from a time on, by resource; undefined: there was no queue. */
  largestSince(ms: number, bound: 'quota' | 'perUser'): Amounts | undefined {
    const all = this.#since(ms).map((allowed) => allowed[bound]);
    if (all.length === 0) return undefined;
    return {
      pods: Math.max(...all.map(({ pods }) => pods)),
      cpu: Math.max(...all.map(({ cpu }) => cpu)),
    };
  }

  /** At some moment since. */
  letJobsOfLowerPriorityEnd(ms: number): boolean {
    return this.#since(ms).some(({ lowerPriorityEnds }) => lowerPriorityEnds);
  }

  #since(ms: number): readonly Allowed[] {
    const from = this.#periods.findLastIndex(({ sinceMs }) => sinceMs <= ms);
    return this.#periods.slice(Math.max(0, from)).flatMap(({ allowed }) => allowed ?? []);
  }
}

const allowedBy = (queue: KubeObject): Allowed => ({
  quota: quotaIn(queue),
  perUser: amountsIn(dig(queue, 'spec', 'maxPerUser')),
  lowerPriorityEnds: asString(dig(queue, 'spec', 'preemption', 'withinQueue')) === 'LowerPriority',
});

export const quotaIn = ({ spec }: KubeObject): Amounts => amountsIn(dig(spec, 'quota'));

/** A resource that is not named has no bound. */
export function amountsIn(bounds: unknown): Amounts {
  const pods = dig(bounds, 'pods');
  const cpu = dig(bounds, 'cpu');
  return {
    pods: pods === undefined ? Number.POSITIVE_INFINITY : Number(pods),
    cpu: cpu === undefined ? Number.POSITIVE_INFINITY : milliCpu(cpu),
  };
}
