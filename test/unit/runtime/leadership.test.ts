// Does one operator of a cluster lead, whatever context each was started with, and say where?
import { afterEach, describe, expect, it } from '@jest/globals';
import { kinds } from '../../../src/api/kinds.ts';
import { KubeError } from '../../../src/runtime/client/errors.ts';
import { Leadership } from '../../../src/runtime/leadership.ts';
import { type Faults, MemoryApi } from '../../support/memory-api.ts';
import { ProcessClock } from '../../support/process-clock.ts';
import type { Store } from '../../support/store.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

type Shape = {
  readonly ownNamespace?: string;
  readonly leaseNamespace?: string;
  readonly leaseName?: string;
  readonly namespaces?: readonly string[];
  readonly faults?: Faults;
};

class Operator {
  readonly leadership: Leadership;
  readonly process: ProcessClock;
  readonly api: MemoryApi;
  readonly reasons: string[] = [];
  readonly troubles: unknown[] = [];
  readonly done: Promise<void>;
  readonly #stop = new AbortController();

  constructor(identity: string, clock: VirtualClock, store: Store, shape: Shape) {
    const { ownNamespace, leaseNamespace, leaseName = 'swarm-operator', faults } = shape;
    this.process = new ProcessClock(clock, 0);
    this.api = new MemoryApi(this.process, store, faults);
    this.leadership = new Leadership({
      settings: { namespaces: shape.namespaces ?? [], leaseNamespace, leaseName },
      ownNamespace,
      clock: this.process,
      api: this.api,
      identity,
      runsAs: `process of ${identity}`,
      annotations: () => ({ 'k8slab.info/kinds': '[]' }),
      onStarted: () => undefined,
      onStopped: () => Promise.resolve(),
      onTrouble: (error) => this.troubles.push(error),
      onRestored: () => undefined,
      onStandby: (reason) => this.reasons.push(reason),
    });
    this.done = this.leadership.run(this.#stop.signal);
  }

  get leads(): boolean {
    return this.leadership.isLeading;
  }

  stop(): void {
    this.#stop.abort();
  }
}

const started: Operator[] = [];
afterEach(() => {
  for (const operator of started.splice(0)) operator.process.kill();
});

function cluster() {
  const clock = new VirtualClock();
  const { store } = new MemoryApi(clock);
  const start = (identity: string, shape: Shape = {}): Operator => {
    const operator = new Operator(identity, clock, store, shape);
    started.push(operator);
    return operator;
  };
  const leases = (): readonly string[] =>
    store
      .all({ kind: kinds.Lease })
      .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  return { clock, store, start, leases };
}

const installed = { ownNamespace: 'ops' };
const forbidden: Faults = {
  before: ({ verb }) => {
    if (verb === 'list') throw new KubeError('Forbidden', 'leases is forbidden');
  },
};

describe('an operator outside of the cluster', () => {
  it('leads in the fixed namespace, which it makes, and writes there what it watches', async () => {
    const { clock, store, start } = cluster();
    const operator = start('me', { namespaces: ['b', 'a'] });
    await clock.until('it leads', () => operator.leads);
    expect(store.find(kinds.Namespace, { name: 'swarm-operator' })).toBeDefined();
    const ref = { namespace: 'swarm-operator', name: 'swarm-operator.a.b' };
    expect(store.get(kinds.Lease, ref).metadata).toMatchObject({
      labels: { 'app.kubernetes.io/managed-by': 'swarm-operator' },
      annotations: {
        'k8slab.info/kinds': '[]',
        'k8slab.info/namespaces': 'b,a',
        'k8slab.info/runs-as': 'process of me',
        'k8slab.info/yields': 'true',
      },
    });
  });

  it('waits for the one that was installed, says where it runs, and leads when it is killed', async () => {
    const { clock, start } = cluster();
    const first = start('pod-1', installed);
    await clock.until('the installed one leads', () => first.leads);
    const second = start('me');
    await clock.advance(60_000);
    expect([first.leads, second.leads]).toEqual([true, false]);
    expect(second.reasons).toEqual([
      'another operator leads: pod-1 (Lease ops/swarm-operator, process of pod-1, namespaces: all); to lead all the same, set --lease-namespace',
    ]);
    expect(second.leadership.standbyReason).toBe(second.reasons[0]);
    expect(second.leadership.operators).toEqual([
      {
        lease: 'ops/swarm-operator',
        holder: 'pod-1',
        namespaces: 'all',
        runsAs: 'process of pod-1',
      },
    ]);
    first.process.kill();
    expect(await clock.until('the other leads', () => second.leads)).toBeLessThanOrEqual(12_000);
    expect(second.leadership.standbyReason).toBeUndefined();
  });

  it('stops leading within two seconds when one is installed, and gives its Lease back', async () => {
    const { clock, store, start } = cluster();
    const byHand = start('me');
    await clock.until('it leads', () => byHand.leads);
    const other = start('pod-1', installed);
    await clock.until('the installed one leads', () => other.leads);
    expect(await clock.until('the first stops', () => !byHand.leads)).toBeLessThanOrEqual(2_000);
    await clock.advance(30_000);
    expect([byHand.leads, other.leads]).toEqual([false, true]);
    const ref = { namespace: 'swarm-operator', name: 'swarm-operator' };
    expect(store.get(kinds.Lease, ref)['spec']).toMatchObject({ holderIdentity: '' });
  });

  it('is a standby of the one that is installed in the fixed namespace, by the same Lease', async () => {
    const { clock, start, leases } = cluster();
    const first = start('pod-1', { ownNamespace: 'swarm-operator' });
    await clock.until('the installed one leads', () => first.leads);
    const second = start('me');
    await clock.advance(30_000);
    expect(second.reasons).toEqual([
      'another replica leads: pod-1 (Lease swarm-operator/swarm-operator, process of pod-1, namespaces: all)',
    ]);
    expect(second.leadership.operators).toMatchObject([{ holder: 'pod-1' }]);
    expect(leases()).toEqual(['swarm-operator/swarm-operator']);
    first.stop();
    expect(await clock.until('the other leads', () => second.leads)).toBeLessThanOrEqual(3_000);
  });

  it('leads beside one that watches other namespaces', async () => {
    const { clock, start } = cluster();
    const [one, other] = [start('one', { namespaces: ['a'] }), start('o', { namespaces: ['b'] })];
    await clock.until('both lead', () => one.leads && other.leads);
    await clock.advance(30_000);
    expect([one.leads, other.leads]).toEqual([true, true]);
  });

  it('waits for an older operator, which it finds by the name of its Lease', async () => {
    const { clock, store, start } = cluster();
    const ref = { namespace: 'default', name: 'swarm-operator' };
    const spec = { holderIdentity: 'old', leaseDurationSeconds: 8 };
    const renew = (renewTime: string): unknown =>
      store.merge(kinds.Lease, ref, { spec: { renewTime } });
    store.create(kinds.Lease, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: ref,
      spec,
    });
    const operator = start('me');
    for (let second = 0; second < 30; second += 1) {
      renew(String(second));
      await clock.advance(1_000);
      expect(operator.leads).toBe(false);
    }
    // The other operator has ended: the Lease is not renewed any more.
    expect(await clock.until('it leads', () => operator.leads)).toBeLessThanOrEqual(10_000);
  });

  it('waits at most a minute for a Lease that is not renewed, however long its duration is', async () => {
    const { clock, store, start } = cluster();
    store.create(kinds.Lease, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { namespace: 'team-a', name: 'swarm-operator' },
      spec: { holderIdentity: 'forged', leaseDurationSeconds: 1_000_000 },
    });
    const operator = start('me');
    const waited = await clock.until('it leads', () => operator.leads, 70_000);
    expect(waited).toBeGreaterThan(50_000);
  });

  it('does not lead where it may not look, and says how it would', async () => {
    const { clock, start, leases } = cluster();
    const operator = start('me', { faults: forbidden });
    await clock.advance(60_000);
    expect(operator.leads).toBe(false);
    expect(operator.reasons).toEqual([
      'this operator may not look for other operators, so it does not lead: leases is forbidden; to lead all the same, set --lease-namespace',
    ]);
    expect(leases()).toEqual([]);
    expect(operator.troubles).toEqual([]);
  });

  it('stops leading when it can no longer look', async () => {
    const { clock, start } = cluster();
    const operator = start('me');
    await clock.until('it leads', () => operator.leads);
    operator.api.faults = {
      before: ({ verb }) => (verb === 'list' ? new Promise(() => 0) : undefined),
    };
    expect(await clock.until('it stops', () => !operator.leads)).toBeLessThanOrEqual(6_000);
    operator.api.faults = {};
    await clock.until('it leads again', () => operator.leads);
  });
});

describe('an operator that knows where its Lease is', () => {
  it.each([
    ['since it runs in a cluster', installed],
    ['since it was told', { leaseNamespace: 'ops' }],
  ])('leads whatever Leases a tenant forges, without a look: %s', async (_, shape) => {
    const { clock, store, start } = cluster();
    store.create(kinds.Lease, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: {
        namespace: 'team-a',
        name: 'swarm-operator',
        labels: { 'app.kubernetes.io/managed-by': 'swarm-operator' },
      },
      spec: { holderIdentity: 'forged', leaseDurationSeconds: 1_000_000 },
    });
    const operator = start('pod-1', shape);
    await clock.until('it leads', () => operator.leads, 1_000);
    await clock.advance(60_000);
    expect(operator.leads).toBe(true);
    expect(
      operator.api.calls.filter(({ verb, kind }) => verb === 'list' || kind === kinds.Namespace),
    ).toEqual([]);
  });
});

/** The shortest time in which two could lead at once is a request. */
describe('two operators outside of the cluster that start at the same moment', () => {
  const slowly = (clock: VirtualClock, ms: () => number): Faults => {
    const pause = (): Promise<void> =>
      new Promise((resolve) => void clock.after(ms(), () => resolve()));
    return { before: pause, after: pause };
  };

  it.each([
    ['with the same namespaces', [], []],
    ['when one watches all', [], ['a']],
    ['when they share a namespace', ['a', 'b'], ['b', 'c']],
  ])('never lead both, and one leads: %s', async (_, one, other) => {
    for (let seed = 1; seed <= 40; seed += 1) {
      const { clock, start } = cluster();
      let state = seed;
      const random = (): number => {
        state = (state * 48_271) % 2_147_483_647;
        return state % 400;
      };
      const faults = slowly(clock, random);
      const both = [
        start('one', { namespaces: one, faults }),
        start('two', { namespaces: other, faults }),
      ];
      for (let passed = 0; passed < 30_000; passed += 50) {
        await clock.advance(50);
        expect(both.filter(({ leads }) => leads).length).toBeLessThanOrEqual(1);
      }
      expect(both.filter(({ leads }) => leads)).toHaveLength(1);
      for (const { process } of both) process.kill();
    }
  });
});
