// Faults of single calls: refused, late, or with a response that the operator never receives.
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../../support/processes.ts';
import type { Disturbance } from '../proxy/proxy.ts';
import { duringChange, type Fault, isList, isWrite, writes } from './fault.ts';

const refuse =
  (status: number, reason: string, headers?: Readonly<Record<string, string>>): Disturbance =>
  (exchange) =>
    exchange.refuse(status, reason, 'injected', headers);

/** Carried out, without a response. */
const lose: Disturbance = async (exchange) => {
  await exchange.forward();
  exchange.breakOff();
};

const cut: Disturbance = async (exchange) => exchange.cutInHalf(await exchange.forward());

/**
 * The responses to the first writes of each of these are lost: the server has done what the
 * operator believes undone.
 */
export const answersLost = (...resources: readonly string[]): Fault =>
  duringChange(
    resources.length,
    ...resources.map((resource) => ({ when: writes(resource), times: 1, disturb: lose })),
  );

/** The same, with half of the response received. */
export const answersCut = (...resources: readonly string[]): Fault =>
  duringChange(
    resources.length,
    ...resources.map((resource) => ({ when: writes(resource), times: 1, disturb: cut })),
  );

export const conflicts = (times: number): Fault =>
  duringChange(times, { when: isWrite, times, disturb: refuse(409, 'Conflict') });

/** Too busy, then broken, then away: writes first, lists and watches too. */
export const refused = (times: number): Fault =>
  duringChange(
    3 * times,
    { when: isWrite, times, disturb: refuse(429, 'TooManyRequests', { 'retry-after': '1' }) },
    { when: isWrite, times, disturb: refuse(500, 'InternalError') },
    { when: isWrite, times, disturb: refuse(503, 'ServiceUnavailable') },
  );

/** All calls, until this many of them were refused. */
export const unavailable = (times: number): Fault =>
  duringChange(times, { when: () => true, disturb: refuse(503, 'ServiceUnavailable') });

/** Delays every call but watches by this long. */
export const slow = (ms: number, times: number): Fault =>
  duringChange(times, {
    when: ({ verb }) => verb !== 'watch',
    disturb: async (exchange) => {
      const answer = await exchange.forward();
      await delay(ms);
      exchange.relay(answer);
    },
  });

/** Watches expire, and the lists that follow are from before the change. */
export const staleLists = (times: number): Fault => ({
  inject: async (cell, act) => {
    const { proxy } = cell;
    await remember(proxy);
    const disturb: Disturbance = (exchange) => proxy.passOlder(exchange);
    const { inject } = duringChange(times, { when: isList, disturb });
    return inject(cell, async () => {
      const goal = await act();
      proxy.say(EXPIRED);
      return goal;
    });
  },
});

/** The event of a server when a watch is too old. */
export const EXPIRED = `${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' } })}\n`;

type Remembering = {
  readonly watches: number;
  readonly remembered: number;
  forgetLists(): void;
  say(text: string): void;
};

/** Makes the operator list all kinds again, and keeps each list as it is now. */
export async function remember(proxy: Remembering): Promise<void> {
  await eventually('the operator watches all kinds', () => proxy.watches >= KINDS);
  proxy.forgetLists();
  proxy.say(EXPIRED);
  await eventually('the operator has listed all kinds again', () => proxy.remembered >= KINDS);
}

/** How many kinds an operator watches. */
const KINDS = 7;
