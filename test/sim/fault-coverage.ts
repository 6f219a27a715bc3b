// At which calls of which states was each fault injected? One row for each fault and side, one
// column for each state.
import { faultNames } from './story/story.ts';

export type Placed = {
  readonly fault: string;
  readonly state: string;
  readonly side: string;
  readonly call: number;
  readonly injected: boolean;
};

/** `41`: at each of 41 calls. `40/41`: at 40 of them. */
export function faultCoverage(cells: readonly Placed[]): string {
  const stateNames = [...new Set(cells.map(({ state }) => state))];
  const countIn = (found: readonly Placed[]): string => {
    const injected = found.filter((it) => it.injected).length;
    return injected === found.length ? String(injected) : `${injected}/${found.length}`;
  };
  const rows = faultNames.flatMap((fault) =>
    ['before', 'after'].flatMap((side) => {
      const here = cells.filter((it) => it.fault === fault && it.side === side);
      if (here.length === 0) return [];
      return [
        `| ${fault} ${side} | ${stateNames.map((state) => countIn(here.filter((it) => it.state === state))).join(' | ')} |`,
      ];
    }),
  );
  return [
    `| | ${stateNames.join(' | ')} |`,
    `|---|${stateNames.map(() => '---:').join('|')}|`,
    ...rows,
  ].join('\n');
}
