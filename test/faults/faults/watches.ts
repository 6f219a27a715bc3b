// Faults of watches: events that come too late, twice, in pieces, or not at all.
import type { Call } from '../proxy/call.ts';
import { EXPIRED } from './answers.ts';
import { type Fault, isWatch, untilStruck } from './fault.ts';

/**
 * Watches report nothing while the change is made; then every watch has expired, and only lists can
 * show what exists.
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
 * With each event, all earlier events of its kind are sent again as if they were new, and the event
 * itself twice.
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
 * Watches are refused as too old, open ones end with that error, and the first lists come in pages
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

/** Open watches stay open, without any event. New connections work. */
export const halfOpen: Fault = {
  strike: async (cell, act) => {
    const struck = untilStruck(cell, 1);
    cell.proxy.goSilent();
    await struck;
    return act();
  },
};

/** Sends an invalid line before the first events of each kind. */
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
