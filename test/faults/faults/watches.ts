// Faults of watches: what comes too late, twice, in pieces, or not at all.
import type { Call } from '../proxy/call.ts';
import { EXPIRED } from './answers.ts';
import { type Fault, isWatch, untilStruck } from './fault.ts';

/**
 * Nothing is heard of the change while it is made; then every watch is too old, and only lists can
 * tell what is, or is no more.
 */
export const missed: Fault = {
  strike: async (cell, act) => {
    const { proxy } = cell;
    proxy.filter = () => [];
    const struck = untilStruck(cell, 1);
    const [goal] = await Promise.all([act(), struck]);
    proxy.heal();
    proxy.say(EXPIRED);
    return goal;
  },
};

/**
 * With each event, everything that was ever said of its kind is said again, as if it were new, and
 * the event itself twice.
 */
export const replayed: Fault = {
  strike: async (cell, act) => {
    const history = new Map<string, string[]>();
    cell.proxy.filter = (line, { resource }) => {
      if (line.startsWith('{"type":"BOOKMARK"')) return [line];
      const earlier = history.get(resource) ?? [];
      history.set(resource, [...earlier, line.replace(/^\{"type":"\w+"/, '{"type":"ADDED"')]);
      return [...earlier, line, line, ...earlier];
    };
    const struck = untilStruck(cell, 4);
    const [goal] = await Promise.all([act(), struck]);
    return goal;
  },
};

/**
 * Watches are refused as too old, those that are open end so, and the first lists come in pages
 * that expire.
 */
export const expired = (times: number): Fault => ({
  strike: async (cell, act) => {
    const { proxy } = cell;
    proxy.say(EXPIRED);
    proxy.misbehave({
      when: isWatch,
      times,
      misdeed: (exchange) => exchange.refuse(410, 'Expired', 'too old'),
    });
    const struck = untilStruck(cell, times);
    const [goal] = await Promise.all([act(), struck]);
    proxy.heal();
    return goal;
  },
});

/** What is open stays open, and nothing more comes of it. New connections are well. */
export const halfOpen: Fault = {
  strike: async (cell, act) => {
    const struck = untilStruck(cell, 1);
    cell.proxy.goSilent();
    await struck;
    return act();
  },
};

/** Before the first so many events of each kind, a line that is none. */
export const malformed = (times: number): Fault => ({
  strike: async (cell, act) => {
    const broken = new Map<string, number>();
    cell.proxy.filter = (line: string, { resource }: Call) => {
      const count = broken.get(resource) ?? 0;
      if (line.startsWith('{"type":"BOOKMARK"') || count >= times) return [line];
      broken.set(resource, count + 1);
      return [line.slice(0, line.length / 2), line];
    };
    const struck = untilStruck(cell, times);
    const [goal] = await Promise.all([act(), struck]);
    cell.proxy.heal();
    return goal;
  },
});
