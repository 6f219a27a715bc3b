// In which ways can a user bring the teastore from one size to another? By its group, or by a loop
// of kubectl over its members.
import { kinds } from '../../src/api/kinds.ts';
import { asNumber, dig } from '../../src/api/objects.ts';
import type { Swarm } from '../../test/integration/support/swarm.ts';
import { eventually } from '../../test/support/processes.ts';

const NAMESPACE = 'teastore';
const GROUP = { namespace: NAMESPACE, name: 'teastore' } as const;

/** As samples/teastore has them: those that are scaled, by stage. */
const stages: readonly (readonly string[])[] = [
  ['teastore-persistence'],
  ['teastore-auth', 'teastore-image', 'teastore-recommender'],
  ['teastore-webui'],
];

/** Also those that stay at one. */
export const replicasAt = (size: number): Readonly<Record<string, number>> => ({
  'teastore-db': 1,
  'teastore-registry': 1,
  'teastore-persistence': size,
  'teastore-auth': size,
  'teastore-image': size,
  'teastore-recommender': Math.ceil(size / 2),
  'teastore-webui': 2 * size,
});

export type Way = {
  readonly name: string;
  /** Before the first step. */
  readonly prepare: () => Promise<void>;
  readonly go: (from: number, to: number) => Promise<void>;
  readonly replicasAt: (size: number) => Readonly<Record<string, number>>;
};

export class Teastore {
  readonly #swarm: Swarm;

  constructor(swarm: Swarm) {
    this.#swarm = swarm;
  }

  byGroup(order: 'Together' | 'Staged'): Way {
    return {
      name: `group, ${order}`,
      prepare: () => this.#edit({ paused: false, transition: { order } }),
      go: (_, to) => this.#kubectl('scale', 'swarmgroup/teastore', `--replicas=${to}`),
      replicasAt,
    };
  }

  /** `kubectl scale` for each, then `kubectl rollout status` for each; by stage, or all at once. */
  byLoop(how: 'all at once' | 'by stage'): Way {
    return {
      name: `kubectl, ${how}`,
      prepare: () => this.#edit({ paused: true }),
      go: async (from, to) => {
        const inOrder = to > from ? stages : stages.toReversed();
        const rounds = how === 'by stage' ? inOrder : [stages.flat()];
        for (const members of rounds) await this.#scaleAndWait(members, replicasAt(to));
      },
      replicasAt,
    };
  }

  alone(member: string): Way {
    const ofMember = (size: number) => ({ [member]: replicasAt(size)[member] ?? 0 });
    return {
      name: `${member} alone`,
      prepare: () => this.#edit({ paused: true }),
      go: (_, to) => this.#scaleAndWait([member], ofMember(to)),
      replicasAt: ofMember,
    };
  }

  async #scaleAndWait(
    members: readonly string[],
    replicas: Readonly<Record<string, number>>,
  ): Promise<void> {
    for (const name of members)
      await this.#kubectl('scale', `deployment/${name}`, `--replicas=${replicas[name]}`);
    for (const name of members) await this.#kubectl('rollout', 'status', `deployment/${name}`);
  }

  /** Until the operator has seen it: it may not scale what a loop scales. */
  async #edit(spec: object): Promise<void> {
    const patch = JSON.stringify({ spec });
    await this.#kubectl('patch', 'swarmgroup/teastore', '--type=merge', '-p', patch);
    await eventually('the operator has seen the edit', async () => {
      const group = await this.#swarm.api.get(kinds.SwarmGroup, GROUP);
      return asNumber(dig(group, 'status', 'observedGeneration')) === group.metadata.generation;
    });
  }

  async #kubectl(...args: readonly string[]): Promise<void> {
    await this.#swarm.kubectl('-n', NAMESPACE, ...args);
  }
}
