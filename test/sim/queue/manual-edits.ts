// F17 and F18: what is changed by hand, and which pods and nodes break.
import { kinds } from '../../../src/api/kinds.ts';
import { NAMESPACE } from '../cluster/manifests.ts';
import type { Random } from '../random.ts';
import type { QueueSimWorld } from './queue-world.ts';
import { batchJobEdits, ledgerEdits, type QueueAction } from './story.ts';
import { userOf } from './users.ts';

/** `how`: of these, or the seed decides. */
const edits: Readonly<Record<string, (random: Random, name: string) => QueueAction>> = {
  ledger: (random) => ({ do: 'ledger', how: random.pick(ledgerEdits) }),
  batchJob: (random, name) => ({ do: 'batchJob', name, how: random.pick(batchJobEdits) }),
  pod: (random, name) => ({ do: 'pod', name, rank: random.between(0, 2), how: 'delete' }),
  status: (_, name) => ({ do: 'status', name }),
  user: (random, name) => ({ do: 'user', name, ...userOf(random) }),
  child: (random, name) => ({
    do: 'deleteChild',
    name,
    kind: random.pick(['Service', 'ConfigMap'] as const),
  }),
};

export function editJobsByHand(
  world: QueueSimWorld,
  random: Random,
  how: string | undefined,
): void {
  const edit = edits[how ?? random.pick(Object.keys(edits))];
  if (edit !== undefined) world.act(edit(random, nameOf(world, random)));
}

export function breakRanks(world: QueueSimWorld, random: Random): void {
  if (random.chance(0.5)) {
    const forMs = random.between(500, 12_000);
    world.act({ do: 'loseNode', index: random.between(0, 2), forMs });
  } else world.act({ do: 'pod', name: nameOf(world, random), rank: 0, how: 'evict' });
}

function nameOf({ server }: QueueSimWorld, random: Random): string {
  const jobs = server.all({ kind: kinds.SwarmJob, namespace: NAMESPACE });
  return jobs.length === 0 ? 'j0' : random.pick(jobs).metadata.name;
}
