// How long does a job that was deleted right after its start keep its quota? Its batch Job is gone,
// and pods of it may run of which the watch of pods has not told yet.
import { describe, expect, it } from '@jest/globals';
import type { BatchJob } from '../../../../src/api/batch-job.ts';
import type { JobPod } from '../../../../src/api/job-pod.ts';
import { decideQueues } from '../../../../src/queue/decide.ts';
import { QueueCaches } from '../../../../src/queue/observe/caches.ts';
import { observeQueues } from '../../../../src/queue/observe.ts';
import type { QueueWorld } from '../../../../src/queue/world.ts';
import {
  admittedIn,
  carriedOut,
  jobOf,
  NOW,
  podOf,
  queueOf,
  runOf,
  withRunning,
} from '../../../support/queue-worlds.ts';

type Seen = { readonly runs: readonly BatchJob[]; readonly pods: readonly JobPod[] };

/** Of a queue of four pods: job a was admitted with all of them, and is deleted. */
class Namespace {
  #world: QueueWorld = withRunning({ jobs: [] });
  #seen: Seen = { runs: [], pods: [] };
  #monotonic = 1_000_000;

  see(seen: Seen): this {
    this.#seen = seen;
    return this.later(10);
  }

  later(ms: number): this {
    this.#monotonic += ms;
    const { ledger, remembered, epoch, ledgerRef } = this.#world;
    const { runs, pods } = this.#seen;
    const batchJobs = {
      in: () => runs,
      of: () => runs,
      get: () => undefined,
      orphansOf: () => [],
      podsIn: () => pods,
      podsOf: ({ uid }: Pick<BatchJob, 'uid'>) => pods.filter((pod) => pod.jobUid === uid),
    };
    const clock = { monotonic: () => this.#monotonic };
    const caches = new QueueCaches();
    const before = { epoch, ledgerRef, ledger, isOutdated: false, remembered, refused: undefined };
    const observed = observeQueues({ clock, batchJobs, caches }, 'hpc', before);
    const world = {
      ...observed,
      queues: [queueOf({ pods: '4' })],
      jobs: [jobOf('next', { size: 4 })],
    };
    this.#world = carriedOut(world, decideQueues(world, NOW));
    return this;
  }

  get admitted(): readonly string[] {
    return admittedIn(this.#world);
  }
}

const run = runOf('a', { parallelism: 4, completions: 4 });
const podsOf = (count: number, over: Partial<JobPod> = {}): readonly JobPod[] =>
  Array.from({ length: count }, (_, rank) => podOf('a', { uid: `pod-a-${rank}`, rank, ...over }));

describe('a job that is deleted right after its start', () => {
  it.each([
    ['no pod of it is known', podsOf(0)],
    ['one of its pods is not known yet', podsOf(3)],
    ['one of its pods is terminating', [...podsOf(3), podOf('a', { isTerminating: true })]],
  ])(
    'a job that is deleted while %s keeps its quota for five seconds after its batch Job is gone',
    (_, pods) => {
      const namespace = new Namespace().see({ runs: [run], pods });
      namespace.see({ runs: [], pods: [] }).later(4_999);
      expect(namespace.admitted).toEqual(['a']);
      expect(namespace.later(1).admitted).toEqual(['next']);
    },
  );

  it('a job whose batch Job is not known to be started keeps its quota for five seconds', () => {
    const runs = [{ ...run, isSuspended: true, isResumed: false }];
    const namespace = new Namespace().see({ runs, pods: [] });
    namespace.later(4_999);
    expect(namespace.admitted).toEqual(['a']);
    expect(namespace.later(1).admitted).toEqual(['next']);
  });

  it('a job whose batch Job was never seen keeps its quota for five seconds', () => {
    const namespace = new Namespace().see({ runs: [], pods: [] }).later(4_999);
    expect(namespace.admitted).toEqual(['a']);
    expect(namespace.later(1).admitted).toEqual(['next']);
  });

  it('a job whose pods were all known gives its quota back when the last pod has ended', () => {
    const namespace = new Namespace().see({ runs: [run], pods: podsOf(4) });
    namespace.see({ runs: [], pods: podsOf(4, { isTerminating: true }) }).later(60_000);
    expect(namespace.see({ runs: [], pods: podsOf(1) }).admitted).toEqual(['a']);
    expect(namespace.see({ runs: [], pods: [] }).admitted).toEqual(['next']);
  });

  it('a job whose batch Job waits for its pods to end gives its quota back when the last pod has ended', () => {
    const namespace = new Namespace().see({ runs: [run], pods: podsOf(4) });
    const runs = [{ ...run, isDeleting: true }];
    namespace.see({ runs, pods: podsOf(4, { isTerminating: true }) });
    expect(namespace.see({ runs: [], pods: [] }).admitted).toEqual(['next']);
  });

  it('a job with pods that have succeeded needs no other pods in their place', () => {
    const ended = podOf('a', { uid: 'ended', hasEnded: true, hasSucceeded: true });
    const namespace = new Namespace().see({ runs: [run], pods: [...podsOf(3), ended] });
    expect(namespace.see({ runs: [], pods: [] }).admitted).toEqual(['next']);
  });
});
