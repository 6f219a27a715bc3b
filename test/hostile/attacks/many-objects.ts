// What if each object is within its bounds, and there are very many of them?
import { kinds } from '../../../src/api/kinds.ts';
import { type Attack, fewStreams, type Place, type Tenant, workload } from '../tenant.ts';

/** Of each kind, in each namespace. */
const MOST = 30;
const AT_A_TIME = 5;

/** The next few objects: each attack adds some, up to the limit. */
async function more(
  tenant: Tenant,
  { random }: Place,
  one: (index: number) => Promise<unknown>,
): Promise<void> {
  const first = random.between(0, MOST - AT_A_TIME);
  for (let index = first; index < first + AT_A_TIME && !tenant.isEnding; index += 1)
    await one(index);
}

/** The same lists for all of them: a few megabytes, read as often as there are pools. */
const ofStreams: Attack = {
  kind: 'hoard-of-streams',
  run: async (tenant, place) => {
    const { namespace, name } = place;
    await tenant.write(kinds.Deployment, namespace, name, workload(name, 200, { paused: true }));
    const names = (list: number): string =>
      Array.from({ length: 28_000 }, (_, index) => `h${list}-${index}=1`).join('\n');
    const lists = [0, 1, 2, 3].map((list) => `${name}-list-${list}`);
    for (const [list, own] of lists.entries()) {
      if ((await tenant.uidOf(kinds.ConfigMap, namespace, own)) === undefined)
        await tenant.write(kinds.ConfigMap, namespace, own, { data: { list: names(list) } });
    }
    await more(tenant, place, async (index) => {
      const own = `${name}-${index}`;
      await tenant.write(kinds.Deployment, namespace, own, workload(own, 200, { paused: true }));
      const workers = { targetRef: { kind: 'Deployment', name: own } };
      const streamsFrom = lists.map((list) => ({ configMapKeyRef: { name: list, key: 'list' } }));
      await tenant.write(kinds.SwarmPool, namespace, own, {
        spec: { workers, streamsFrom, assignments: { shards: 8 } },
      });
    });
    return [];
  },
};

const ofWorkers: Attack = {
  kind: 'hoard-of-workers',
  run: async (tenant, place) => {
    const { namespace, name } = place;
    await more(tenant, place, async (index) => {
      const own = `${name}-${index}`;
      await tenant.write(kinds.Deployment, namespace, own, workload(own, 9_900, { paused: true }));
      const workers = { targetRef: { kind: 'Deployment', name: own } };
      await tenant.write(kinds.SwarmPool, namespace, own, {
        spec: { workers, streams: fewStreams, assignments: { shards: 4 } },
      });
    });
    return [];
  },
};

/** Half of them have few long parameters, the others as many short ones as a pool can have. */
const ofText: Attack = {
  kind: 'hoard-of-text',
  run: async (tenant, place) => {
    const { namespace, name, random } = place;
    const long = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [
        `p${index}`,
        `${random.next()}${'v'.repeat(1_000)}`,
      ]),
    );
    const short = Object.fromEntries(Array.from({ length: 32 }, (_, index) => [`p${index}`, '']));
    const streamsWith = (parameters: object, count: number) =>
      Array.from({ length: count }, (_, stream) => ({ name: `s${stream}`, parameters }));
    await more(tenant, place, async (index) => {
      const own = `${name}-${index}`;
      const streams = index % 2 === 0 ? streamsWith(long, 38) : streamsWith(short, 2_000);
      await tenant.write(kinds.SwarmPool, namespace, own, {
        spec: { workers: { targetRef: { name: own } }, streams },
      });
    });
    return [];
  },
};

const ofAnnotations: Attack = {
  kind: 'hoard-of-annotations',
  run: async (tenant, place) => {
    const { namespace, name } = place;
    await more(tenant, place, async (index) => {
      const own = `${name}-${index}`;
      const annotations = { 'example.com/x': 'x'.repeat(250_000) };
      const labels = Object.fromEntries(
        Array.from({ length: 5_000 }, (_, label) => [
          `l${label}.example.com/${'k'.repeat(60)}`,
          'v'.repeat(63),
        ]),
      );
      const { spec } = workload(own, 1, { paused: true });
      await tenant.write(kinds.Deployment, namespace, own, {
        metadata: { annotations, labels },
        spec,
      });
    });
    return [];
  },
};

export const manyObjectAttacks: readonly Attack[] = [ofStreams, ofWorkers, ofText, ofAnnotations];
