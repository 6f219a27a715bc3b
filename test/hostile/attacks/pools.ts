// What can a pool's own spec contain to harm the operator that decides about it?
import { kinds } from '../../../src/api/kinds.ts';
import type { Attack } from '../tenant.ts';

const streams = (count: number, more: (index: number) => object = () => ({})): readonly object[] =>
  Array.from({ length: count }, (_, index) => ({ name: `s${index}`, ...more(index) }));

const longest: Attack = {
  kind: 'pool-with-the-most-of-all',
  run: async (tenant, place) => {
    const { namespace, name, random } = place;
    const many = streams(2_000, (index) => ({
      name: `${'ü'.repeat(random.pick([0, 50, 120]))}${index}`,
      weight: random.pick([0, 1, 1_000_000]),
      priority: random.pick([-1_000_000, 1_000_000]),
      spreadGroup: `${'g'.repeat(55)}${index % random.pick([2, 2_000])}`,
      ...(index % 40 === 0 && { parameters: { ['k'.repeat(200)]: 'v'.repeat(1_024) } }),
    }));
    await tenant.wellBefore(place, {
      workers: { targetRef: { name }, capacity: random.pick([1, 1_000_000]) },
    });
    await tenant.patch(kinds.SwarmPool, namespace, name, {
      spec: { streams: many, overcommit: random.pick(['Deny', 'Allow']) },
    });
    return [];
  },
};

/** The API server must refuse all of these. */
const beyond: Attack = {
  kind: 'pool-beyond-the-definition',
  run: async (tenant, place) => {
    const { namespace, name, random } = place;
    await tenant.wellBefore(place);
    const spec = random.pick([
      { streams: streams(2_001) },
      { streams: [{ name: 'x'.repeat(129) }] },
      { streams: [{ name: 'x', weight: 1e12 }] },
      { streams: [{ name: 'x', ordinal: 100_000 }] },
      { assignments: { shards: 1_001 } },
      { assignments: { key: '../../etc' } },
      { workers: { scaling: 'Lead', replicas: 100_001 } },
      { refresh: { maxUnavailable: '101%' } },
      { probe: { httpGet: { path: 'no-slash' } } },
      { probe: { httpGet: { port: 70_000 } } },
    ]);
    await tenant.patch(kinds.SwarmPool, namespace, name, { spec });
    return [];
  },
};

const shards: Attack = {
  kind: 'pool-with-many-shards',
  run: async (tenant, place) => {
    const { namespace, name, random } = place;
    await tenant.wellBefore(place, { assignments: { shards: random.pick([2, 50, 300, 1]) } });
    await tenant.patch(kinds.SwarmPool, namespace, name, {
      spec: { assignments: { configMapName: `${name}-x${random.between(0, 2)}` } },
    });
    return [];
  },
};

const rivals: Attack = {
  kind: 'pools-on-one-target',
  run: async (tenant, place) => {
    const { namespace, name } = place;
    await tenant.wellBefore(place);
    const others = Array.from({ length: 10 }, (_, index) => `${name}-rival-${index}`);
    for (const other of others)
      await tenant.write(kinds.SwarmPool, namespace, other, {
        spec: { workers: { selector: { matchLabels: { app: name } } }, streams: streams(3) },
      });
    return others.map((other) => ({ pool: `${namespace}/${other}`, says: 'Stalled' as const }));
  },
};

const churn: Attack = {
  kind: 'pool-deleted-and-made-anew',
  run: async (tenant, place) => {
    const { namespace, name, random } = place;
    for (let round = 0; round < 10 && !tenant.isEnding; round += 1) {
      await tenant.wellBefore(place, {
        assignments: { whenDeleted: random.pick(['Retain', 'Delete']) },
      });
      await tenant.remove(kinds.SwarmPool, namespace, name);
    }
    return [];
  },
};

const edits: Attack = {
  kind: 'pool-edited-at-a-high-rate',
  run: async (tenant, place) => {
    const { namespace, name, random } = place;
    await tenant.wellBefore(place);
    for (let round = 0; round < 30 && !tenant.isEnding; round += 1)
      await tenant.patch(kinds.SwarmPool, namespace, name, {
        spec: { streams: streams(random.between(1, 60)), paused: random.chance(0.2) },
      });
    await tenant.patch(kinds.SwarmPool, namespace, name, { spec: { paused: false } });
    return [];
  },
};

const modes: Attack = {
  kind: 'pool-that-changes-its-mind',
  run: async (tenant, place) => {
    const { namespace, name, random } = place;
    await tenant.wellBefore(place);
    for (let round = 0; round < 8 && !tenant.isEnding; round += 1) {
      const spec = random.pick([
        { handoff: { type: 'Exclusive' } },
        { handoff: { type: 'AtLeastOnce' } },
        { refresh: { mode: 'Restart', timeoutSeconds: 1, maxUnavailable: '100%' } },
        { refresh: { mode: 'Auto', timeoutSeconds: 1 } },
        { probe: { type: 'None' } },
        {
          probe: {
            type: 'HTTPGet',
            httpGet: {
              port: random.pick([1, 65_535, 'nobody']),
              path: `/${'%2e%2e/'.repeat(30)}`,
              scheme: 'HTTPS',
            },
          },
        },
        { rebalance: { policy: 'WhenRequired', maxMoves: 1 } },
        {
          workers: {
            failover: { policy: 'AfterTimeout', timeoutSeconds: 1, maxUnavailable: '100%' },
          },
        },
        { workers: { cordoned: Array.from({ length: 1_000 }, (_, index) => index * 99) } },
        { workers: { targetRef: null, selector: { matchLabels: { app: name } } } },
        { workers: { selector: null, targetRef: { name } } },
      ]);
      await tenant.patch(kinds.SwarmPool, namespace, name, { spec });
    }
    return [];
  },
};

const pinned: Attack = {
  kind: 'pool-with-pins-to-nowhere',
  run: async (tenant, place) => {
    const { namespace, name } = place;
    await tenant.wellBefore(place);
    await tenant.patch(kinds.SwarmPool, namespace, name, {
      spec: { streams: streams(2_000, (index) => ({ ordinal: 99_999 - index })) },
    });
    return [{ pool: `${namespace}/${name}`, says: 'NotReady' }];
  },
};

export const poolAttacks: readonly Attack[] = [
  longest,
  beyond,
  shards,
  rivals,
  churn,
  edits,
  modes,
  pinned,
];
