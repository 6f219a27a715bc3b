// What do users do by hand behind a group's back? They scale, pause and delete its members, and
// wipe or make up its status.
import { kinds } from '../../../src/api/kinds.ts';
import { asRecord, dig } from '../../../src/api/objects.ts';
import { KubeError } from '../../../src/runtime/client/errors.ts';
import { poolRef } from '../cluster/manifests.ts';
import type { Random } from '../random.ts';
import type { GroupSimWorld } from './group-world.ts';
import { groupRef, isPlain, namesOf } from './manifests.ts';

type ManualEdit = {
  readonly says: string;
  readonly how: (world: GroupSimWorld, name: string, random: Random) => void;
};

/** An operator cannot know that a status is made up before it has written its own. */
const NOTICED_MS = 12_000;

const manualEdits: readonly ManualEdit[] = [
  {
    says: 'scales a member',
    how: (world, name, random) => world.act({ do: 'scaleMember', name, to: random.between(0, 6) }),
  },
  {
    says: 'deletes a member, and creates it again',
    how: (world, name, random) => {
      world.act({ do: 'deleteMember', name });
      world.later(random.between(1, 2_000), { do: 'createMembers' });
    },
  },
  { says: 'wipes the status', how: (world) => putStatus(world, () => ({})) },
  {
    says: 'makes up a transition',
    how: (world, _, random) =>
      putStatus(world, (status) => ({
        ...status,
        transition: {
          state: random.pick(['Scaling', 'RollingBack', 'Completed', 'TimedOut', 'RolledBack']),
          from: random.between(0, 4),
          to: random.between(0, 4),
          reason: 'SizeChanged',
          requestTime: '2020-01-01T00:00:00Z',
          ...(random.chance(0.5) && { before: [] }),
        },
      })),
  },
  {
    says: 'makes up the size and the members',
    how: (world, _, random) =>
      putStatus(world, (status) => ({ ...status, replicas: random.between(0, 9), members: [] })),
  },
  {
    says: 'pauses the pool for a while',
    how: (world, _, random) => {
      if (world.server.find(kinds.SwarmPool, poolRef) === undefined) return;
      const pause = (paused: boolean): unknown =>
        world.server.find(kinds.SwarmPool, poolRef) &&
        world.server.merge(kinds.SwarmPool, poolRef, { spec: { paused } });
      const ms = random.between(100, 3_000);
      pause(true);
      world.disturb(ms);
      world.clock.after(ms, () => void pause(false));
    },
  },
];

function putStatus(world: GroupSimWorld, change: (status: object) => object): void {
  const { server, clock } = world;
  const group = server.get(kinds.SwarmGroup, groupRef);
  world.excuse(clock.monotonic() + NOTICED_MS);
  const status = change(asRecord(dig(group, 'status')) ?? {});
  server.replace(kinds.SwarmGroup, { ...group, status }, 'status');
}

export function editGroupByHand(world: GroupSimWorld, random: Random, how?: string): void {
  const edit = manualEdits.find(({ says }) => says === how) ?? random.pick(manualEdits);
  const name = random.pick(namesOf(world.shape).filter(isPlain));
  world.record(`user edit: ${edit.says} (${name})`);
  try {
    edit.how(world, name, random);
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
  }
}
