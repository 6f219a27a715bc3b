// What happens when a leader is killed or frozen, and another one takes over? For any kind.
import { kinds } from '../../../src/api/kinds.ts';
import { asString, dig } from '../../../src/api/objects.ts';
import { eventually } from '../../support/processes.ts';
import type { OperatedNamespace } from '../operated-namespace.ts';
import type { Call } from '../proxy/call.ts';
import type { Disturbance } from '../proxy/proxy.ts';
import type { Replica } from '../replica.ts';

export const elected = { isElected: true } as const;

type Led = Pick<OperatedNamespace, 'swarm' | 'namespace' | 'replicas'>;

async function holder({ swarm, namespace }: Led): Promise<string> {
  const lease = await swarm.api
    .get(kinds.Lease, { namespace, name: 'swarm-operator' })
    .catch(() => undefined);
  return asString(dig(lease, 'spec', 'holderIdentity')) ?? '';
}

const untilAnotherLeads = (cell: Led, before: string): Promise<void> =>
  eventually(
    `${cell.namespace} has another leader`,
    async () => !['', before].includes(await holder(cell)),
    60,
  );

/** The replica whose log says that it leads by this name. */
async function leaderOf(cell: Led): Promise<Replica> {
  let found: Replica | undefined;
  await eventually(`${cell.namespace} has a leader`, async () => {
    const name = await holder(cell);
    found =
      name === ''
        ? undefined
        : cell.replicas.find((replica) => replica.logs().includes(`"identity":"${name}"`));
    return found !== undefined;
  });
  if (found === undefined) throw new Error(`${cell.namespace} has no leader`);
  return found;
}

/**
 * Frozen with the first write that matches on its way. It arrives when another leads and
 * `overtaken` has resolved, and must be refused; then the leader thaws, and must write nothing.
 */
export async function withFrozenLeader<Result>(
  cell: Led,
  isHeld: (call: Call) => boolean,
  act: () => Promise<Result>,
  overtaken: () => Promise<void>,
): Promise<Result> {
  const { namespace } = cell;
  const leader = await leaderOf(cell);
  const before = await holder(cell);
  const held = Promise.withResolvers<void>();
  const isLate = Promise.withResolvers<void>();
  const late = Promise.withResolvers<number>();
  const disturb: Disturbance = async (exchange) => {
    leader.process.signal('SIGSTOP');
    held.resolve();
    await isLate.promise;
    const answer = await exchange.forward();
    late.resolve(answer.status);
    exchange.relay(answer);
  };
  leader.proxy.addRules({ when: isHeld, times: 1, disturb });
  const [result] = await Promise.all([act(), held.promise]);
  await untilAnotherLeads(cell, before);
  await overtaken();
  isLate.resolve();
  const status = await late.promise;
  // 422: a test of a JSON patch has failed.
  if (status !== 409 && status !== 422)
    throw new Error(`${namespace}: the late write of a frozen leader was answered ${status}`);
  const thawedAt = performance.now();
  leader.process.signal('SIGCONT');
  leader.proxy.heal();
  await eventually(`${namespace}: the thawed operator has noticed`, () =>
    leader.logs().includes('no longer leading'),
  );
  const written = leader.proxy.seen.filter(
    ({ call, at, status: answered }) => call.isWrite && at > thawedAt && answered < 300,
  );
  if (written.length > 0)
    throw new Error(
      `${namespace}: thawed, it wrote ${written.map(({ call }) => call.path).join(', ')}`,
    );
  return result;
}

/** Killed when the first write that matches is done; the standby takes over. */
export async function withKilledLeader<Result>(
  cell: Led,
  isLast: (call: Call) => boolean,
  act: () => Promise<Result>,
): Promise<Result> {
  const leader = await leaderOf(cell);
  const before = await holder(cell);
  const killed = Promise.withResolvers<void>();
  const disturb: Disturbance = async (exchange) => {
    await exchange.forward();
    await leader.kill();
    killed.resolve();
  };
  leader.proxy.addRules({ when: isLast, times: 1, disturb });
  const [result] = await Promise.all([act(), killed.promise]);
  await untilAnotherLeads(cell, before);
  return result;
}
