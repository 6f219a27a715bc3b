// What if objects come and go, or change, under ever new names, labels, annotations and UIDs? All
// that is remembered of each would fill the memory.
import { kinds } from '../../../src/api/kinds.ts';
import type { Attack, Place, Tenant } from '../tenant.ts';
import { fewStreams, workload } from '../tenant.ts';

/** At some five milliseconds a write. */
const TIMES = 100;

/** Not used before: the seed decides. */
const freshName = ({ random }: Place): string =>
  `n${random.between(0, 1e9).toString(36)}-${random.between(0, 1e9).toString(36)}`;

async function again(
  tenant: Tenant,
  place: Place,
  times: number,
  once: (fresh: string) => Promise<unknown>,
): Promise<void> {
  for (let time = 0; time < times && !tenant.isEnding; time += 1) await once(freshName(place));
}

const noteOf = (version: number): object => ({
  'k8slab.info/change': JSON.stringify({
    version,
    moves: 0,
    reason: 'Created',
    time: '2026-01-01T00:00:00Z',
  }),
});

/** Each time it is a ConfigMap of another pool, which does not exist. */
const labels: Attack = {
  kind: 'labels-of-pools-that-are-not-there',
  run: async (tenant, place) => {
    const { namespace, name, random } = place;
    await tenant.write(kinds.ConfigMap, namespace, name, {});
    await again(tenant, place, TIMES, (fresh) =>
      tenant.patch(kinds.ConfigMap, namespace, name, {
        metadata: {
          labels: { 'k8slab.info/pool': fresh },
          annotations: noteOf(random.between(1, 1e6)),
        },
      }),
    );
    return [];
  },
};

const labelsOfWorkloads: Attack = {
  kind: 'labels-of-a-workload',
  run: async (tenant, place) => {
    const { namespace, name } = place;
    await tenant.write(kinds.Deployment, namespace, name, workload(name, 1, { paused: true }));
    let before: object = {};
    await again(tenant, place, TIMES, async (fresh) => {
      await tenant.patch(kinds.Deployment, namespace, name, {
        metadata: { labels: { ...before, [fresh]: fresh } },
      });
      before = { [fresh]: null };
    });
    return [];
  },
};

/** Each mark names a ConfigMap of another owner, with a long text. */
const marks: Attack = {
  kind: 'marks-of-foreign-texts',
  run: async (tenant, place) => {
    const { namespace, name } = place;
    await tenant.wellBefore(place);
    await again(tenant, place, TIMES / 10, async (fresh) => {
      await tenant.write(kinds.ConfigMap, namespace, fresh, { data: { x: 'x'.repeat(200_000) } });
      await tenant.patch(kinds.ConfigMap, namespace, `${name}-assignments`, {
        metadata: { annotations: { 'k8slab.info/moved-to': fresh } },
      });
      await tenant.remove(kinds.ConfigMap, namespace, fresh);
    });
    return [];
  },
};

/** Of a pool that stays: what it names, and what it is published as. */
const references: Attack = {
  kind: 'references-of-a-pool',
  run: async (tenant, place) => {
    const { namespace, name } = place;
    await again(tenant, place, TIMES / 2, (fresh) =>
      tenant.write(kinds.SwarmPool, namespace, name, {
        spec: {
          workers: { targetRef: { name: fresh } },
          streams: [{ name: fresh, parameters: { [fresh]: fresh } }],
          streamsFrom: [{ configMapKeyRef: { name: fresh, key: fresh } }],
          assignments: { configMapName: fresh, key: fresh },
        },
      }),
    );
    return [];
  },
};

const names: Attack = {
  kind: 'names-of-all-kinds',
  run: async (tenant, place) => {
    const { namespace } = place;
    await again(tenant, place, TIMES / 10, async (fresh) => {
      const target = { kind: 'Deployment', name: fresh };
      const objects = [
        [kinds.Deployment, workload(fresh, 1, { paused: true })],
        [kinds.StatefulSet, workload(fresh, 1)],
        [kinds.SwarmPool, { spec: { workers: { targetRef: target }, streams: fewStreams } }],
        [kinds.SwarmGroup, { spec: { replicas: 1, members: [target] } }],
        [
          kinds.HorizontalPodAutoscaler,
          { spec: { scaleTargetRef: { apiVersion: 'apps/v1', ...target }, maxReplicas: 2 } },
        ],
        [kinds.ConfigMap, { metadata: { labels: { 'k8slab.info/pool': fresh } } }],
      ] as const;
      for (const [kind, rest] of objects) await tenant.write(kind, namespace, fresh, rest);
      for (const [kind] of objects) await tenant.remove(kind, namespace, fresh);
    });
    return [];
  },
};

/** The same names, and each time other objects. */
const uids: Attack = {
  kind: 'uids-of-pods',
  run: async (tenant, place) => {
    const { namespace, name } = place;
    await tenant.wellBefore(place);
    const uid = await tenant.uidOf(kinds.StatefulSet, namespace, name);
    if (uid === undefined) return [];
    const pod = `${name}-0`;
    await again(tenant, place, TIMES / 4, async (fresh) => {
      await tenant.remove(kinds.Pod, namespace, pod);
      await tenant.pod(namespace, pod, { owner: { name, uid }, answers: 'truth' });
      await tenant.patch(kinds.Pod, namespace, pod, {
        metadata: { annotations: { 'k8slab.info/assigned': fresh } },
      });
    });
    return [];
  },
};

export const churnAttacks: readonly Attack[] = [
  labels,
  labelsOfWorkloads,
  marks,
  references,
  names,
  uids,
];
