// Does a start time-out, or a deadline, leave a job all the time that its user gave it?
import { kinds } from '../../../../src/api/kinds.ts';
import { asNumber, dig, type KubeObject } from '../../../../src/api/objects.ts';
import { NAMESPACE } from '../../cluster/manifests.ts';
import { queueOf, signalOf } from './demands.ts';
import type { OracleWorld } from './oracle.ts';
import { reasonOf, stateOf } from './order.ts';
import type { Past } from './past.ts';

/** A status is written a while after it was decided. */
const WRITTEN_MS = 100;
const LAG_MS = 1_500;

const STARTS: ReadonlySet<string> = new Set(['Admitted', 'Starting']);
const RUNS: ReadonlySet<string> = new Set(['Starting', 'Running']);

type Moment = { readonly ms: number; readonly wallMs: number };

export class TooEarly {
  readonly #in: OracleWorld;
  readonly #past: Past;
  /** By UID: when it was last admitted, and when it first ran. */
  readonly #starts = new Map<string, Moment>();
  readonly #runs = new Map<string, Moment>();

  constructor(world: OracleWorld, past: Past) {
    this.#in = world;
    this.#past = past;
  }

  /** The state of a job has changed. */
  check(job: KubeObject, before: string): void {
    const { clock, wallMs, isHindered } = this.#in;
    const { uid = '' } = job.metadata;
    const state = stateOf(job);
    const now = { ms: clock.monotonic(), wallMs: wallMs() };
    const reason = reasonOf(job);
    if (!isHindered() && before !== 'Suspending') {
      if (reason === 'StartTimedOut') this.#checkStart(job, now);
      if (reason === 'DeadlineExceeded') this.#checkRun(job, now);
    }
    if (STARTS.has(state) && !STARTS.has(before)) this.#starts.set(uid, now);
    if (RUNS.has(state) && !this.#runs.has(uid)) this.#runs.set(uid, now);
  }

  #checkStart(job: KubeObject, now: Moment): void {
    const seconds = asNumber(dig(job, 'spec', 'startTimeoutSeconds'));
    const since = this.#starts.get(job.metadata.uid ?? '');
    this.#checkTime(job, 'its start times out', { seconds, since, now });
  }

  #checkRun(job: KubeObject, now: Moment): void {
    const queue = this.#in.server.find(kinds.SwarmQueue, {
      namespace: NAMESPACE,
      name: queueOf(job) ?? '',
    });
    if (queue === undefined || this.#past.hasChangedWithin(queue.metadata.uid ?? '', LAG_MS))
      return;
    const own = asNumber(dig(job, 'spec', 'activeDeadlineSeconds'));
    const byDefault = asNumber(dig(queue, 'spec', 'jobDefaults', 'activeDeadlineSeconds'));
    const most = asNumber(dig(queue, 'spec', 'maxActiveDeadlineSeconds'));
    const all = [own ?? byDefault, most].filter((it) => it !== undefined);
    const since = this.#runs.get(job.metadata.uid ?? '');
    const seconds = Math.min(...all) - this.#signal(job, queue);
    this.#checkTime(job, 'its deadline is over', { seconds, since, now });
  }

  /** What its batch Job was made with; one that was deleted since says nothing. */
  #signal(job: KubeObject, queue: KubeObject): number {
    const { namespace = NAMESPACE, name } = job.metadata;
    const batchJob = this.#in.server.find(kinds.Job, { namespace, name });
    const made = Number(batchJob?.metadata.annotations?.['k8slab.info/signal-seconds'] ?? 0);
    return Math.max(made, signalOf(job, queue) ?? 0);
  }

  #checkTime(
    { metadata: { name, uid = '' } }: KubeObject,
    what: string,
    time: {
      readonly seconds: number | undefined;
      readonly since: Moment | undefined;
      readonly now: Moment;
    },
  ): void {
    const { seconds, since, now } = time;
    if (seconds === undefined || !Number.isFinite(seconds) || since === undefined) return;
    // By the clock of its machine, too, which may jump.
    const ms = Math.max(now.ms - since.ms, now.wallMs - since.wallMs);
    if (this.#past.hasChangedWithin(uid, LAG_MS) || ms >= seconds * 1000 - WRITTEN_MS) return;
    this.#in.report({
      oracle: 'too early',
      message: `${name}: ${what} after ${ms / 1000} s, and it has ${seconds} s`,
    });
  }
}
