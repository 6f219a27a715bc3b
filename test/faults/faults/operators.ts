// Faults of operator processes: killed around a write, started on an old view, frozen past their
// lease.
import { kinds } from '../../../src/api/kinds.ts';
import { asString, dig } from '../../../src/api/objects.ts';
import { eventually } from '../../support/processes.ts';
import type { Cell } from '../cell.ts';
import type { Exchange } from '../proxy/exchange.ts';
import type { Disturbance, Rule } from '../proxy/proxy.ts';
import type { Replica } from '../replica.ts';
import { remember } from './answers.ts';
import { type Fault, isList, isWrite, untilInjected, writes } from './fault.ts';

/** The n-th write, counted from 1. */
function nth(number: number, disturb: Disturbance, proxy: Cell['proxy']): Rule {
  let seen = 0;
  return {
    when: isWrite,
    times: number,
    disturb: (exchange) => {
      seen += 1;
      return seen === number ? disturb(exchange) : proxy.pass(exchange);
    },
  };
}

const crash = (number: number, last: (exchange: Exchange) => Promise<unknown>): Fault => ({
  inject: async (cell, act) => {
    const { proxy, replica } = cell;
    const killed = Promise.withResolvers<void>();
    const disturb: Disturbance = async (exchange) => {
      await last(exchange);
      await replica.kill();
      exchange.breakOff();
      killed.resolve();
    };
    proxy.addRules(nth(number, disturb, proxy));
    const injected = untilInjected(cell, number);
    const [goal] = await Promise.all([act(), injected.then(() => killed.promise)]);
    proxy.heal();
    await replica.startAgain();
    return goal;
  },
});

/** Killed while this write is on its way, which never arrives. */
export const crashBefore = (number: number): Fault => crash(number, async () => undefined);

/** Killed when this write is done, before the operator has its response. */
export const crashAfter = (number: number): Fault =>
  crash(number, (exchange) => exchange.forward());

/**
 * The operator is killed and started again; until it has tried to write, or for some seconds, it
 * reads the state from before the kill.
 */
export const restartedOnOldView = (times: number): Fault => ({
  inject: async (cell, act) => {
    const { proxy, replica } = cell;
    await remember(proxy);
    await replica.kill();
    const goal = await act();
    proxy.addRules({ when: isList, disturb: (exchange) => proxy.passOlder(exchange) });
    // Watches report nothing yet: otherwise the old view would be corrected at once.
    proxy.filter = () => [];
    const injected = untilInjected(cell, times);
    await replica.startAgain();
    await injected;
    proxy.heal();
    proxy.breakAll();
    return goal;
  },
});

const elected = { isElected: true } as const;

async function holder({ swarm, namespace }: Cell): Promise<string> {
  const lease = await swarm.api
    .get(kinds.Lease, { namespace, name: 'swarm-operator' })
    .catch(() => undefined);
  return asString(dig(lease, 'spec', 'holderIdentity')) ?? '';
}

/** The replica whose log says that it leads by this name. */
async function leaderOf(cell: Cell): Promise<Replica> {
  let found: Replica | undefined;
  await eventually(`${cell.namespace} has a leader`, async () => {
    const name = await holder(cell);
    found =
      name === ''
        ? undefined
        : cell.replicas.find((replica) => replica.logs().includes(`"identity":"${name}"`));
    return found !== undefined;
  });
  return found ?? cell.replica;
}

/**
 * Frozen with a write on its way, which arrives when another leads and has published; then it
 * thaws.
 */
export const frozenLeader: Fault = {
  replicas: [elected, elected],
  inject: async (cell, act) => {
    const leader = await leaderOf(cell);
    const before = { holder: await holder(cell), version: cell.version() };
    const isHeld = Promise.withResolvers<void>();
    const isLate = Promise.withResolvers<void>();
    const late = Promise.withResolvers<number>();
    const disturb: Disturbance = async (exchange) => {
      leader.process.signal('SIGSTOP');
      isHeld.resolve();
      await isLate.promise;
      const answer = await exchange.forward();
      late.resolve(answer.status);
      exchange.relay(answer);
    };
    leader.proxy.addRules({ when: writes('configmaps'), times: 1, disturb });
    const [goal] = await Promise.all([act(), isHeld.promise]);
    await eventually(
      `${cell.namespace} has another leader`,
      async () => !['', before.holder].includes(await holder(cell)),
      60,
    );
    await cell.untilPublished(before.version);
    isLate.resolve();
    const status = await late.promise;
    if (status !== 409)
      throw new Error(
        `${cell.namespace}: the late write of a frozen leader was answered ${status}, not 409`,
      );
    const thawedAt = performance.now();
    leader.process.signal('SIGCONT');
    leader.proxy.heal();
    await eventually(`${cell.namespace}: the thawed operator has noticed`, () =>
      leader.logs().includes('not leading any more'),
    );
    const written = leader.proxy.seen.filter(
      ({ call, at, status: answered }) => call.isWrite && at > thawedAt && answered < 300,
    );
    if (written.length > 0)
      throw new Error(
        `${cell.namespace}: thawed, it wrote ${written.map(({ call }) => call.path).join(', ')}`,
      );
    return goal;
  },
};

/** Killed in the middle; the standby takes over. */
export const killedLeader = (
  environments: readonly [Readonly<Record<string, string>>, Readonly<Record<string, string>>] = [
    {},
    {},
  ],
): Fault => ({
  replicas: environments.map((environment) => ({ ...elected, environment })),
  inject: async (cell, act) => {
    const leader = await leaderOf(cell);
    const before = await holder(cell);
    const killed = Promise.withResolvers<void>();
    const disturb: Disturbance = async (exchange) => {
      await exchange.forward();
      await leader.kill();
      killed.resolve();
    };
    leader.proxy.addRules({ when: writes('configmaps'), times: 1, disturb });
    const [goal] = await Promise.all([act(), killed.promise]);
    await eventually(
      `${cell.namespace} has another leader`,
      async () => !['', before].includes(await holder(cell)),
      60,
    );
    return goal;
  },
});

/** For a process with a wrong clock. */
export const clockOff = (hours: number): Readonly<Record<string, string>> => {
  const text = `const D=Date,o=${hours * 3_600_000};globalThis.Date=class extends D{constructor(...a){super(...(a.length===0?[D.now()+o]:a))}static now(){return D.now()+o}}`;
  return {
    NODE_OPTIONS: `--disable-warning=ExperimentalWarning --import=data:text/javascript,${encodeURIComponent(text)}`,
  };
};
