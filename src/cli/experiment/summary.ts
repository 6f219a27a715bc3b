// How long did each step take, over all its repeats?
import { spreadOf } from '../group/percentiles.ts';
import { type Cell, right, type Table } from '../render.ts';
import { durationText } from '../views/time.ts';
import { type Measurement, slowestOf } from './record.ts';

type StepSummary = Pick<Measurement, 'group' | 'order' | 'from' | 'to'> & {
  /** How often it was tried. */
  readonly tried: number;
  readonly failed: number;
  readonly total: ReturnType<typeof spreadOf>;
  readonly patch: ReturnType<typeof spreadOf>;
  /** The member that was the slowest most often. */
  readonly slowest?: { readonly member: string; readonly times: number };
};

/** In the order of the steps. */
export function summaryOf(measurements: readonly Measurement[]): readonly StepSummary[] {
  const steps = Map.groupBy(measurements, ({ group, order, from, to }) =>
    [group, order, from, to].join(),
  );
  return [...steps.values()].flatMap((of) => {
    const [first] = of;
    if (first === undefined) return [];
    const { group, order, from, to } = first;
    const reached = of.filter(({ isReached }) => isReached);
    const slowest = mostFrequent(reached.flatMap((it) => slowestOf(it) ?? []));
    return [
      {
        group,
        order,
        from,
        to,
        tried: of.length,
        failed: of.length - reached.length,
        total: spreadOf(reached.map(({ totalMs }) => totalMs)),
        patch: spreadOf(reached.map(({ patchMs }) => patchMs)),
        ...(slowest !== undefined && { slowest }),
      },
    ];
  });
}

function mostFrequent(members: readonly string[]): StepSummary['slowest'] {
  const counted = [...Map.groupBy(members, (member) => member)].map(([member, all]) => ({
    member,
    times: all.length,
  }));
  return counted.sort((a, b) => b.times - a.times || (a.member < b.member ? -1 : 1))[0];
}

export const summaryTable = (steps: readonly StepSummary[]): Table => ({
  columns: [
    'GROUP',
    'ORDER',
    ...['FROM', 'TO', 'MEASURED', 'TOTAL P50', 'MAX', 'PATCH P50', 'MAX'].map(right),
    'SLOWEST',
  ],
  rows: steps.map(({ group, order, from, to, tried, total, patch, slowest }): Cell[] => [
    group,
    order,
    from,
    to,
    total.count === tried ? tried : `${total.count} of ${tried}`,
    durationText(total.p50Milliseconds),
    durationText(total.maxMilliseconds),
    durationText(patch.p50Milliseconds),
    durationText(patch.maxMilliseconds),
    slowest && `${slowest.member} (${slowest.times} of ${total.count})`,
  ]),
});
