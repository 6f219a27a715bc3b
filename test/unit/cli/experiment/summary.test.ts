// What is written of measurements, line by line and in short?
import { expect, it } from '@jest/globals';
import {
  csvHeader,
  csvLines,
  type Measurement,
  slowestOf,
} from '../../../../src/cli/experiment/record.ts';
import { summaryOf, summaryTable } from '../../../../src/cli/experiment/summary.ts';
import { tableLines, textOf } from '../../../../src/cli/render.ts';

const measured = (
  repeat: number,
  totalMs: number | undefined,
  ready: Readonly<Record<string, number | undefined>> = {},
  rest: Partial<Measurement> = {},
): Measurement => ({
  group: 'shop',
  order: 'Together',
  repeat,
  from: 1,
  to: 3,
  isReached: true,
  ...(totalMs !== undefined && { totalMs, patchMs: totalMs / 100 }),
  members: Object.entries(ready).map(([name, readyMs]) => ({
    member: `Deployment/${name}`,
    ...(readyMs !== undefined && { readyMs, patchMs: 5 }),
  })),
  ...rest,
});

it('the CSV has a line for each member, and empty fields for what was not measured', () => {
  expect([
    csvHeader,
    ...csvLines(measured(2, 4_000, { db: 4_000, web: undefined })),
    ...csvLines(measured(3, undefined, { db: undefined })),
    ...csvLines(measured(4, 0, { db: 0 })),
  ]).toEqual([
    'group,from,to,order,repeat,member,patch_ms,ready_ms,total_ms',
    'shop,1,3,Together,2,Deployment/db,5,4000,4000',
    'shop,1,3,Together,2,Deployment/web,,,4000',
    'shop,1,3,Together,3,Deployment/db,,,',
    'shop,1,3,Together,4,Deployment/db,5,0,0',
  ]);
});

it.each([
  [{ a: 1, b: 3, c: 2 }, 'Deployment/b'],
  [{ a: 1, b: undefined }, 'Deployment/a'],
  [{ a: undefined }, undefined],
  [{}, undefined],
])('slowestOf finds the slowest member of %j: %s', (ready, slowest) =>
  expect(slowestOf(measured(1, 1, ready))).toBe(slowest),
);

it('the summary has a line for each step, in the order of the steps', () => {
  const back = { from: 3, to: 1 };
  const steps = summaryOf([
    measured(1, 4_000, { db: 4_000, web: 1 }),
    measured(1, 200, { db: 200 }, back),
    measured(2, 3_000, { db: 1, web: 3_000 }),
    measured(2, undefined, { db: undefined }, back),
    measured(3, 5_000, { db: 5_000, web: 1 }),
    measured(3, undefined, {}, { ...back, isReached: false }),
    measured(1, 900, { web: 900 }, { order: 'Staged' }),
  ]);
  expect(tableLines(summaryTable(steps), 300).map((line) => textOf(line).trimEnd())).toEqual([
    'GROUP  ORDER     FROM  TO  MEASURED  TOTAL P50     MAX  PATCH P50    MAX  SLOWEST',
    'shop   Together     1   3         3      4.0 s   5.0 s      40 ms  50 ms  Deployment/db (2 of 3)',
    'shop   Together     3   1    1 of 3     200 ms  200 ms       2 ms   2 ms  Deployment/db (1 of 1)',
    'shop   Staged       1   3         1     900 ms  900 ms       9 ms   9 ms  Deployment/web (1 of 1)',
  ]);
  expect(steps[1]).toMatchObject({ tried: 3, failed: 1 });
});

it('the summary is empty where nothing was measured', () => expect(summaryOf([])).toEqual([]));
