// How does a benchmark create many groups whose sizes follow a metric, each with its own members?
import { kinds } from '../../src/api/kinds.ts';
import type { Swarm } from '../../test/integration/support/swarm.ts';
import { inLanes } from '../instruments/lanes.ts';

export const GROUPS = 1_000;
export const MEMBERS = 7;
export const QUERIES = 10;
const NAMESPACES = 10;
/** What one unit of size carries. */
export const TARGET = 100;
const LARGEST_SIZE = 1_000;

export type Place = { readonly namespace: string; readonly name: string };

const numbers = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => index);

const places: readonly Place[] = numbers(GROUPS).map((index) => ({
  namespace: `many-${index % NAMESPACES}`,
  name: `group-${Math.floor(index / NAMESPACES)}`,
}));

export const memberNamesOf = ({ name }: Place): readonly string[] =>
  numbers(MEMBERS).map((index) => `${name}-${index}`);

const queryAt = (number: number): string => `sum(rate(requests_total{shop="${number}"}[1m]))`;

export const sharedQueries: readonly string[] = numbers(QUERIES).map(queryAt);

/** Groups of every namespace ask each of the queries. */
const queryOf = (index: number): string => queryAt(Math.floor(index / NAMESPACES) % QUERIES);

export class ManyGroups {
  readonly #swarm: Swarm;
  readonly #periodSeconds: number;

  constructor(swarm: Swarm, periodSeconds: number) {
    this.#swarm = swarm;
    this.#periodSeconds = periodSeconds;
  }

  async createMembers(): Promise<void> {
    const { api } = this.#swarm;
    for (const name of new Set(places.map(({ namespace }) => namespace)))
      await api.create(kinds.Namespace, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name },
      });
    const members = places.flatMap((place) =>
      memberNamesOf(place).map((name) => ({ namespace: place.namespace, name })),
    );
    await inLanes(members, ({ namespace, name }) =>
      this.#swarm.create(kinds.Deployment, namespace, name, deployment(name)),
    );
  }

  async createGroups(): Promise<void> {
    const indexed = places.map((place, index) => ({ place, index }));
    await inLanes(indexed, ({ place, index }) =>
      this.#swarm.create(kinds.SwarmGroup, place.namespace, place.name, {
        spec: {
          members: memberNamesOf(place).map((name) => ({ kind: 'Deployment', name })),
          policy: {
            type: 'Prometheus',
            periodSeconds: this.#periodSeconds,
            maxReplicas: LARGEST_SIZE,
            prometheus: { query: queryOf(index), target: String(TARGET) },
          },
        },
      }),
    );
  }

  asking(query: string): readonly Place[] {
    return places.filter((_, index) => queryOf(index) === query);
  }

  /** From now on this group asks something that no other asks. */
  async asksAlone(place: Place, query: string): Promise<void> {
    const body = { spec: { policy: { prometheus: { query } } } };
    await this.#swarm.api.patch(kinds.SwarmGroup, place, { type: 'merge', body });
  }
}

function deployment(name: string): object {
  const labels = { app: name };
  const container = { name: 'main', image: 'shop:1', resources: { requests: { cpu: '100m' } } };
  return {
    metadata: { labels, annotations: { 'deployment.kubernetes.io/revision': '1' } },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  };
}
