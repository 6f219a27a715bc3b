// Faults of single calls: refused, late, or with a response that the operator never receives.
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../../support/processes.ts';
import type { Misdeed } from '../proxy/proxy.ts';
import { type Fault, isList, isWrite, whileActing, writes } from './fault.ts';

const refuse =
  (status: number, reason: string, headers?: Readonly<Record<string, string>>): Misdeed =>
  (exchange) =>
    exchange.refuse(status, reason, 'injected', headers);

/** Carried out, without a response. */
const lose: Misdeed = async (exchange) => {
  await exchange.forward();
  exchange.breakOff();
};

const cut: Misdeed = async (exchange) => exchange.cutInHalf(await exchange.forward());

/**
 * The responses to the first writes of each of these are lost: the server has done what the
 * operator believes undone.
 */
export const answersLost = (...resources: readonly string[]): Fault =>
  whileActing(
    resources.length,
    ...resources.map((resource) => ({ when: writes(resource), times: 1, misdeed: lose })),
  );

/** The same, with half of the response received. */
export const answersCut = (...resources: readonly string[]): Fault =>
  whileActing(
    resources.length,
    ...resources.map((resource) => ({ when: writes(resource), times: 1, misdeed: cut })),
  );

export const conflicts = (times: number): Fault =>
  whileActing(times, { when: isWrite, times, misdeed: refuse(409, 'Conflict') });

/** Too busy, then broken, then away: writes first, lists and watches too. */
export const refused = (times: number): Fault =>
  whileActing(
    3 * times,
    { when: isWrite, times, misdeed: refuse(429, 'TooManyRequests', { 'retry-after': '1' }) },
    { when: isWrite, times, misdeed: refuse(500, 'InternalError') },
    { when: isWrite, times, misdeed: refuse(503, 'ServiceUnavailable') },
  );

/** All calls, until this many of them were refused. */
export const unavailable = (times: number): Fault =>
  whileActing(times, { when: () => true, misdeed: refuse(503, 'ServiceUnavailable') });

/** Delays every call but watches by this long. */
export const slow = (ms: number, times: number): Fault =>
  whileActing(times, {
    when: ({ verb }) => verb !== 'watch',
    misdeed: async (exchange) => {
      const answer = await exchange.forward();
      await delay(ms);
      exchange.relay(answer);
    },
  });

/** Watches expire, and the lists that follow are from before the change. */
export const staleLists = (times: number): Fault => ({
  strike: async (cell, act) => {
    const { proxy } = cell;
    await remember(proxy);
    const misdeed: Misdeed = (exchange) => proxy.passOlder(exchange);
    const { strike } = whileActing(times, { when: isList, misdeed });
    return strike(cell, async () => {
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
