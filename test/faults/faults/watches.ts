// Faults of watches: events that come too late, twice, in pieces, or not at all.
import type { Call } from '../proxy/call.ts';
import { EXPIRED } from './answers.ts';
import { type Fault, isWatch, untilInjected } from './fault.ts';

/**
 * Watches report nothing while the change is made; then every watch has expired, and only lists can
 * show what exists.
 */
export const missed: Fault = {
  inject: async (cell, act) => {
    const { proxy } = cell;
    proxy.filter = () => [];
    const injected = untilInjected(cell, 1);
    const [goal] = await Promise.all([act(), injected]);
    proxy.heal();
    proxy.say(EXPIRED);
    return goal;
  },
};

/**
 * With each event, all earlier events of its kind are sent again as if they were new, and the event
 * itself twice.
 */
export const replayed: Fault = {
  inject: async (cell, act) => {
    const history = new Map<string, string[]>();
    cell.proxy.filter = (line, { resource }) => {
      if (line.startsWith('{"type":"BOOKMARK"')) return [line];
      const earlier = history.get(resource) ?? [];
      history.set(resource, [...earlier, line.replace(/^\{"type":"\w+"/, '{"type":"ADDED"')]);
      return [...earlier, line, line, ...earlier];
    };
    const injected = untilInjected(cell, 4);
    const [goal] = await Promise.all([act(), injected]);
    return goal;
  },
};

/**
 * Watches are refused as too old, open ones end with that error, and the first lists come in pages
 * that expire.
 */
export const expired = (times: number): Fault => ({
  inject: async (cell, act) => {
    const { proxy } = cell;
    proxy.say(EXPIRED);
    proxy.addRules({
      when: isWatch,
      times,
      disturb: (exchange) => exchange.refuse(410, 'Expired', 'too old'),
    });
    const injected = untilInjected(cell, times);
    const [goal] = await Promise.all([act(), injected]);
    proxy.heal();
    return goal;
  },
});

/** Open watches stay open, without any event. New connections work. */
export const halfOpen: Fault = {
  inject: async (cell, act) => {
    const injected = untilInjected(cell, 1);
    cell.proxy.goSilent();
    await injected;
    return act();
  },
};

/** Sends an invalid line before the first events of each kind. */
export const malformed = (times: number): Fault => ({
  inject: async (cell, act) => {
    const broken = new Map<string, number>();
    cell.proxy.filter = (line: string, { resource }: Call) => {
      const count = broken.get(resource) ?? 0;
      if (line.startsWith('{"type":"BOOKMARK"') || count >= times) return [line];
      broken.set(resource, count + 1);
      return [line.slice(0, line.length / 2), line];
    };
    const injected = untilInjected(cell, times);
    const [goal] = await Promise.all([act(), injected]);
    cell.proxy.heal();
    return goal;
  },
});
