// What does the Job controller of Kubernetes do? It makes the pods of batch Jobs, counts how they
// end, and says so in status. It knows each batch Job as it was a moment ago.
import { kinds } from '../../../../src/api/kinds.ts';
import {
  asList,
  asNumber,
  dig,
  isNewer,
  type KubeObject,
  keyOf,
} from '../../../../src/api/objects.ts';
import { timeText } from '../../../../src/core/text.ts';
import { KubeError } from '../../../../src/runtime/client/errors.ts';
import { Actor, Feed, type Surroundings } from '../../cluster/actor.ts';
import { hasEnded, isReady, isTerminating, ownerUid } from '../../cluster/facts.ts';
import {
  completedIn,
  conditionOf,
  isFinished,
  type JobStatus,
  rangesOf,
  statusIn,
} from './job-status.ts';
import { isComplete, isIndexed, isTracked, missingPods, podOf, rankOf } from './missing-pods.ts';
import { admittedPod } from './pod-admission.ts';

const AGAIN_MS = 1_000;
/** So long the controller gathers changes of pods before it looks at them. */
const GATHERS_MS = 1_000;
/** Conditions that decide how it ends, while its other pods end. */
const FAILING = 'FailureTarget';
const SUCCEEDING = 'SuccessCriteriaMet';

export class BatchJobs {
  readonly #in: Surroundings;
  readonly #actor: Actor;
  readonly #onRefused: (pod: KubeObject, why: KubeError) => void;
  /** As the controller knows them. */
  readonly #known = new Map<string, KubeObject>();
  #isGathering = false;
  #pods = 0;
  #restores = 0;

  constructor(surroundings: Surroundings, onRefused: (pod: KubeObject, why: KubeError) => void) {
    this.#in = surroundings;
    this.#onRefused = onRefused;
    const { random, server } = surroundings;
    this.#actor = new Actor(surroundings, [], () => this.#review());
    server.onChange(kinds.Pod, () => this.#gather());
    new Feed(
      surroundings,
      kinds.Job,
      () => random.between(1, 25),
      () => true,
      ({ type, object }) => {
        if (type === 'DELETED') this.#known.delete(keyOf(object.metadata));
        else this.#learn(object);
        this.#actor.poke();
      },
      () => {
        this.#restores = server.restores;
        this.#known.clear();
        for (const job of server.all({ kind: kinds.Job }))
          this.#known.set(keyOf(job.metadata), job);
        this.#actor.poke();
      },
    );
  }

  #gather(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    this.#in.clock.after(GATHERS_MS, () => {
      this.#isGathering = false;
      this.#actor.poke();
    });
  }

  /** It knows at once what it has written itself. */
  #learn(job: KubeObject): void {
    const key = keyOf(job.metadata);
    const { uid, resourceVersion = '' } = this.#known.get(key)?.metadata ?? {};
    const isOlder =
      uid === job.metadata.uid && isNewer(resourceVersion, job.metadata.resourceVersion ?? '');
    if (!isOlder) this.#known.set(key, job);
  }

  #review(): void {
    const { server } = this.#in;
    // It starts again with the API server, and reads all of them first.
    if (server.restores !== this.#restores) return;
    const uids = new Set([...this.#known.values()].map(({ metadata }) => metadata.uid));
    for (const job of this.#known.values()) this.#sync(job);
    for (const pod of server.all({ kind: kinds.Pod }))
      if (!uids.has(ownerUid(pod)) && isTracked(pod)) this.#release(pod);
  }

  /** Counted, or of no batch Job that still is there. */
  #release(pod: KubeObject): void {
    const { server } = this.#in;
    const released = server.merge(kinds.Pod, pod.metadata, { metadata: { finalizers: [] } });
    if (dig(released, 'metadata', 'deletionGracePeriodSeconds') === 0 || isUnbound(released))
      if (isTerminating(released)) server.remove(kinds.Pod, released.metadata, {}, 0);
  }

  #sync(job: KubeObject): void {
    const { server } = this.#in;
    const own = server
      .all({ kind: kinds.Pod, namespace: job.metadata.namespace })
      .filter((pod) => ownerUid(pod) === job.metadata.uid);
    const before = statusIn(job);
    const { status, pods } = this.#counted(job, before, own);
    const next = isFinished(status) ? status : this.#managed(job, status, pods);
    if (JSON.stringify(next) === JSON.stringify(before)) return;
    try {
      const { metadata } = job;
      const object = { ...job, metadata: { ...metadata }, status: next };
      this.#learn(server.replace(kinds.Job, object, 'status'));
    } catch (error) {
      // It has changed, or is gone: the next review knows.
      if (!(error instanceof KubeError)) throw error;
      this.#actor.poke();
    }
  }

  /** Pods that have ended are counted once. */
  #counted(job: KubeObject, before: JobStatus, own: readonly KubeObject[]) {
    let status = before;
    const pods: KubeObject[] = [];
    // What was counted has to be stored before the pods can go.
    const isCurrent = this.#isCurrent(job);
    for (const pod of own) {
      const isLost = isTerminating(pod) && isUnbound(pod);
      if (!isTracked(pod) || !(hasEnded(pod) || isLost) || !isCurrent) pods.push(pod);
      else {
        status = this.#withEnd(job, status, pod);
        this.#release(pod);
      }
    }
    return { status, pods };
  }

  #isCurrent({ metadata }: KubeObject): boolean {
    const present = this.#in.server.find(kinds.Job, metadata);
    return present?.metadata.resourceVersion === metadata.resourceVersion;
  }

  #withEnd(job: KubeObject, status: JobStatus, pod: KubeObject): JobStatus {
    if (dig(pod, 'status', 'phase') === 'Succeeded') {
      if (!isIndexed(job)) return { ...status, succeeded: status.succeeded + 1 };
      const ranks = new Set([...completedIn(status), rankOf(pod)]);
      return { ...status, completedIndexes: rangesOf(ranks), succeeded: ranks.size };
    }
    const failed = { ...status, failed: status.failed + 1 };
    const isDecided = [FAILING, SUCCEEDING].some((it) => conditionOf(failed, it) !== undefined);
    if (isDecided || isFinished(failed)) return failed;
    if (isDisrupted(pod) && asList(dig(job, 'spec', 'podFailurePolicy', 'rules')).length > 0) {
      const message = `Pod ${keyOf(pod.metadata)} has condition DisruptionTarget matching FailJob rule at index 0`;
      return this.#with(failed, FAILING, 'PodFailurePolicy', message);
    }
    if (failed.failed <= (asNumber(dig(job, 'spec', 'backoffLimit')) ?? 6)) return failed;
    const message = 'Job has reached the specified backoff limit';
    return this.#with(failed, FAILING, 'BackoffLimitExceeded', message);
  }

  #with(
    status: JobStatus,
    type: string,
    reason: string,
    message: string,
    is: 'True' | 'False' = 'True',
  ): JobStatus {
    const present = conditionOf(status, type);
    if (present?.status === is) return status;
    const now = this.#in.clock.now();
    const lastTransitionTime = timeText(now);
    const others = status.conditions.filter((it) => it.type !== type);
    const condition = { type, status: is, reason, message, lastTransitionTime };
    return { ...status, conditions: [...others, condition] };
  }

  #managed(job: KubeObject, before: JobStatus, pods: readonly KubeObject[]): JobStatus {
    const late = this.#pastDeadline(job, before);
    const living = pods.filter((pod) => !hasEnded(pod));
    const active = living.filter((pod) => !isTerminating(pod));
    const failing = conditionOf(late, FAILING);
    if (failing !== undefined) {
      for (const pod of active) this.#delete(pod);
      const status = this.#figures(late, living, []);
      const { reason, message } = failing;
      return living.length > 0 ? status : this.#with(status, 'Failed', reason, message);
    }
    if (isLedWell(job, late)) {
      for (const pod of active) this.#delete(pod);
      const met = this.#with(late, SUCCEEDING, 'SuccessPolicy', 'Matched rules at index 0');
      const status = this.#figures(met, this.#living(living), []);
      if (this.#living(living).length > 0) return status;
      return this.#with(status, 'Complete', 'SuccessPolicy', 'Matched rules at index 0');
    }
    if (dig(job, 'spec', 'suspend') === true) {
      // Not counted: what ends so has not failed.
      for (const pod of active) {
        this.#release(pod);
        this.#delete(pod);
      }
      const { startTime: _, ...status } = this.#figures(late, this.#living(living), []);
      return this.#with(status, 'Suspended', 'JobSuspended', 'Job suspended');
    }
    if (isComplete(job, late)) {
      const status = this.#figures(late, living, active);
      if (living.length > 0) return status;
      return this.#with(status, 'Complete', 'CompletionsReached', 'Reached expected number');
    }
    const made = this.#makePods(job, late, pods);
    return this.#resumed(this.#figures(late, living, [...active, ...made]));
  }

  #resumed(status: JobStatus): JobStatus {
    if (conditionOf(status, 'Suspended')?.status === 'False' || status.startTime !== undefined)
      return status;
    const resumed =
      conditionOf(status, 'Suspended') === undefined
        ? status
        : this.#with(status, 'Suspended', 'JobResumed', 'Job resumed', 'False');
    return { ...resumed, startTime: timeText(this.#in.clock.now()) };
  }

  #pastDeadline(job: KubeObject, status: JobStatus): JobStatus {
    const seconds = asNumber(dig(job, 'spec', 'activeDeadlineSeconds'));
    if (seconds === undefined || status.startTime === undefined) return status;
    if (dig(job, 'spec', 'suspend') === true) return status;
    if ([FAILING, SUCCEEDING].some((it) => conditionOf(status, it) !== undefined)) return status;
    const leftMs = Date.parse(status.startTime) + seconds * 1000 - this.#in.clock.now();
    if (leftMs > 0) {
      this.#in.clock.after(leftMs, () => this.#actor.poke());
      return status;
    }
    const message = 'Job was active longer than specified deadline';
    return this.#with(status, FAILING, 'DeadlineExceeded', message);
  }

  /** As they are now: some were deleted, and those without a node are gone. */
  #living(pods: readonly KubeObject[]): readonly KubeObject[] {
    const uids = new Set(pods.map(({ metadata }) => metadata.uid));
    return this.#in.server
      .all({ kind: kinds.Pod })
      .filter((pod) => uids.has(pod.metadata.uid) && !hasEnded(pod));
  }

  #figures(
    status: JobStatus,
    living: readonly KubeObject[],
    active: readonly KubeObject[],
  ): JobStatus {
    return {
      ...status,
      active: active.length,
      ready: active.filter(isReady).length,
      terminating: living.filter(isTerminating).length,
    };
  }

  #delete({ metadata }: KubeObject): void {
    const { server } = this.#in;
    if (server.find(kinds.Pod, metadata)?.metadata.uid === metadata.uid)
      server.remove(kinds.Pod, metadata, { uid: metadata.uid ?? '' });
  }

  #makePods(
    job: KubeObject,
    status: JobStatus,
    pods: readonly KubeObject[],
  ): readonly KubeObject[] {
    return missingPods(job, status, pods).flatMap((rank) => {
      this.#pods += 1;
      const pod = podOf(job, rank, this.#pods);
      try {
        const { server } = this.#in;
        return [server.create(kinds.Pod, admittedPod(server, pod))];
      } catch (error) {
        if (!(error instanceof KubeError)) throw error;
        this.#onRefused(pod, error);
        this.#in.clock.after(AGAIN_MS, () => this.#actor.poke());
        return [];
      }
    });
  }
}

/** Its success policy wants rank 0 alone. */
const isLedWell = (job: KubeObject, status: JobStatus): boolean =>
  dig(job, 'spec', 'successPolicy') !== undefined && completedIn(status).has(0);

const isUnbound = (pod: KubeObject): boolean => dig(pod, 'spec', 'nodeName') === undefined;

export const isDisrupted = (pod: KubeObject): boolean =>
  asList(dig(pod, 'status', 'conditions')).some(
    (it) => dig(it, 'type') === 'DisruptionTarget' && dig(it, 'status') === 'True',
  );
