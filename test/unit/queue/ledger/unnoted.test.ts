// How long does a batch Job with the label of a queue keep its quota when it is suspended right
// after its start? Its controller may make its pods before it knows that.
import { expect, it } from '@jest/globals';
import type { KubeObject } from '../../../../src/api/objects.ts';
import { decideQueues } from '../../../../src/queue/decide.ts';
import { QueueCaches } from '../../../../src/queue/observe/caches.ts';
import { observeQueues } from '../../../../src/queue/observe.ts';
import { nothingRemembered, type QueueWorld } from '../../../../src/queue/world.ts';
import { BatchJobs } from '../../../../src/runtime/store/batch-jobs.ts';
import { carriedOut, NOW, queueOf } from '../../../support/queue-worlds.ts';

type Seen = { readonly suspend: boolean; readonly grant?: number; readonly noted: boolean };

class Namespace {
  readonly #batchJobs = new BatchJobs();
  readonly #caches = new QueueCaches();
  #monotonic = 0;
  #version = 0;
  world: QueueWorld | undefined;

  /** `noted`: its controller has noted that it is suspended. */
  see({ suspend, grant, noted }: Seen): this {
    this.#version += 1;
    const job: KubeObject = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        name: 'night',
        namespace: 'hpc',
        uid: 'run-night',
        resourceVersion: String(this.#version),
        creationTimestamp: '2026-01-01T00:00:00Z',
        labels: { 'k8slab.info/queue': 'batch' },
        ...(grant !== undefined && { annotations: { 'k8slab.info/grant': String(grant) } }),
      },
      spec: { suspend, parallelism: 1, completions: 1 },
      status: { conditions: [{ type: 'Suspended', status: noted ? 'True' : 'False' }] },
    };
    const [subscription] = this.#batchJobs.subscriptions;
    subscription?.onChange({ type: 'MODIFIED', object: job });
    return this.later();
  }

  /** Later than a ledger may be written again. */
  later(ms = 10): this {
    this.#monotonic += ms;
    return this.#decide();
  }

  #decide(): this {
    const { ledger, remembered = nothingRemembered } = this.world ?? {};
    const observed = observeQueues(
      {
        clock: { monotonic: () => this.#monotonic },
        batchJobs: this.#batchJobs,
        caches: this.#caches,
      },
      'hpc',
      {
        epoch: 'leader-1',
        ledgerRef: { namespace: 'swarm', name: 'swarm-ledger-hpc' },
        ...{ ledger, isOutdated: false, remembered, refused: undefined },
      },
    );
    const world = { ...observed, queues: [queueOf({ pods: '1' })] };
    this.world = carriedOut(world, decideQueues(world, NOW));
    return this;
  }

  get grants(): readonly number[] {
    return this.world?.ledger?.entries.map(({ grant }) => grant) ?? [];
  }
}

const admitted = (): Namespace => new Namespace().see({ suspend: true, noted: true }).later();

it('a batch Job that is suspended before its controller has seen its start keeps its quota for five seconds', () => {
  const namespace = admitted();
  expect(namespace.grants).toEqual([2]);
  namespace.see({ suspend: false, grant: 2, noted: true });
  namespace.see({ suspend: true, grant: 2, noted: true }).later(4_999);
  expect(namespace.grants).toEqual([2]);
  namespace.later(1);
  expect(namespace.grants).not.toContain(2);
});

it('a suspended batch Job gives its quota back when its controller has noted the suspension, also the second time', () => {
  const namespace = admitted();
  for (const grant of [2, 4]) {
    expect(namespace.grants).toEqual([grant]);
    namespace.see({ suspend: false, grant, noted: false });
    namespace.see({ suspend: true, grant, noted: false });
    expect(namespace.grants).toEqual([grant]);
    namespace.see({ suspend: true, grant, noted: true });
    expect(namespace.grants).not.toContain(grant);
    namespace.later();
  }
});

it.each([
  ['Failed', []],
  ['Suspended', []],
  ['Suspending', ['run-a']],
  [undefined, ['run-a']],
])(
  'a new leader waits for the controller of a Job that was taken back only if the Job may run: its state is %s',
  (state, unnoted) => {
    const caches = new QueueCaches();
    caches.jobs.apply({
      type: 'ADDED',
      object: {
        apiVersion: 'k8slab.info/v1alpha1',
        kind: 'SwarmJob',
        metadata: { name: 'a', namespace: 'hpc', uid: 'uid-a', resourceVersion: '1' },
        spec: { queueName: 'batch', image: 'example.org/sim', command: ['run'] },
        status: { state },
      },
    });
    const batchJobs = new BatchJobs();
    const [subscription] = batchJobs.subscriptions;
    subscription?.onChange({ type: 'ADDED', object: takenBack });
    const world = observeQueues({ clock: { monotonic: () => 0 }, batchJobs, caches }, 'hpc', {
      ...{ epoch: 'leader-2', ledger: undefined, isOutdated: false, refused: undefined },
      ledgerRef: { namespace: 'swarm', name: 'swarm-ledger-hpc' },
      remembered: nothingRemembered,
    });
    expect([...world.unnotedMs.keys()]).toEqual(unnoted);
  },
);

const takenBack: KubeObject = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: {
    ...{ name: 'a', namespace: 'hpc', uid: 'run-a', resourceVersion: '1' },
    annotations: { 'k8slab.info/grant': '3' },
    ownerReferences: [
      {
        ...{ apiVersion: 'k8slab.info/v1alpha1', kind: 'SwarmJob', name: 'a', uid: 'uid-a' },
        controller: true,
      },
    ],
  },
  spec: { suspend: true, parallelism: 1, completions: 1 },
  status: { conditions: [{ type: 'Suspended', status: 'True' }] },
};
