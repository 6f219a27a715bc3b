// Faults of operator processes: killed around a write, started on an old view, frozen past their
// lease.
import type { Cell } from '../cell.ts';
import type { Call } from '../proxy/call.ts';
import type { Exchange } from '../proxy/exchange.ts';
import type { Disturbance, Rule } from '../proxy/proxy.ts';
import { remember } from './answers.ts';
import { type Fault, isList, isWrite, untilInjected, writes } from './fault.ts';
import { elected, withFrozenLeader, withKilledLeader } from './leaders.ts';

type Calls = (call: Call) => boolean;

/** The n-th of these calls, counted from 1. */
function nth(number: number, when: Calls, disturb: Disturbance, proxy: Cell['proxy']): Rule {
  let seen = 0;
  return {
    when,
    times: number,
    disturb: (exchange) => {
      seen += 1;
      return seen === number ? disturb(exchange) : proxy.pass(exchange);
    },
  };
}

const crash = (
  number: number,
  when: Calls,
  last: (exchange: Exchange) => Promise<unknown>,
): Fault => ({
  inject: async (cell, act) => {
    const { proxy, replica } = cell;
    const killed = Promise.withResolvers<void>();
    const disturb: Disturbance = async (exchange) => {
      await last(exchange);
      await replica.kill();
      exchange.breakOff();
      killed.resolve();
    };
    proxy.addRules(nth(number, when, disturb, proxy));
    const injected = untilInjected(cell, number);
    const [goal] = await Promise.all([act(), injected.then(() => killed.promise)]);
    proxy.heal();
    await replica.startAgain();
    return goal;
  },
});

/** Killed while this write is on its way, which never arrives. */
export const crashBefore = (number: number, when: Calls = isWrite): Fault =>
  crash(number, when, async () => undefined);

/** Killed when this write is done, before the operator has its response. */
export const crashAfter = (number: number, when: Calls = isWrite): Fault =>
  crash(number, when, (exchange) => exchange.forward());

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

/**
 * Frozen with a write on its way, which arrives when another leads and has published; then it
 * thaws.
 */
export const frozenLeader: Fault = {
  replicas: [elected, elected],
  inject: (cell, act) => {
    const before = cell.version();
    return withFrozenLeader(cell, writes('configmaps'), act, () => cell.untilPublished(before));
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
  inject: (cell, act) => withKilledLeader(cell, writes('configmaps'), act),
});

/** For a process with a wrong clock. */
export const clockOff = (hours: number): Readonly<Record<string, string>> =>
  wallClock(`const o=()=>${hours * 3_600_000}`);

/** The same, by the hours in the file, which may change while the process runs. */
export const clockOfFile = (file: string): Readonly<Record<string, string>> =>
  wallClock(
    `import{readFileSync as r}from'node:fs';let h=0,t=-1e9;const o=()=>{if(performance.now()>t+100){t=performance.now();h=Number(r(${JSON.stringify(file)},'utf8'))}return h*36e5}`,
  );

/** Durations are those of another clock, which no administrator sets. */
const wallClock = (offset: string): Readonly<Record<string, string>> => {
  const text = `${offset};const D=Date;globalThis.Date=class extends D{constructor(...a){super(...(a.length===0?[D.now()+o()]:a))}static now(){return D.now()+o()}}`;
  return {
    NODE_OPTIONS: `--disable-warning=ExperimentalWarning --import=data:text/javascript,${encodeURIComponent(text)}`,
  };
};
