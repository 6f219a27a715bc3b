// Does docs/reliability.md list exactly the existing cells?
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { chooseCells, quarterOf } from '../../faults/cell-choice.ts';
import { cells, namespaceOf, tableOfCells } from '../../faults/cells.ts';
import {
  finiteCells,
  finiteNamespaceOf,
  tableOfFiniteCells,
} from '../../faults/finite/finite-cells.ts';
import { groupCells, groupNamespaceOf, tableOfGroupCells } from '../../faults/group/group-cells.ts';
import { jobCells, jobNamespaceOf, tableOfJobCells } from '../../faults/job/job-cells.ts';

const document = readFileSync(new URL('../../../docs/reliability.md', import.meta.url), 'utf8');

const all = [...cells, ...groupCells, ...finiteCells, ...jobCells];

describe('the cells of faults and states', () => {
  it('docs/reliability.md lists all cells of faults and states (npm run test:faults -- --list)', () => {
    expect(document).toContain(tableOfCells());
    expect(document).toContain(tableOfGroupCells());
    expect(document).toContain(tableOfFiniteCells());
    expect(document).toContain(tableOfJobCells());
  });

  it('each cell has its own namespace, with a valid name', () => {
    const names = [
      ...cells.map(namespaceOf),
      ...groupCells.map(groupNamespaceOf),
      ...finiteCells.map(finiteNamespaceOf),
      ...jobCells.map(jobNamespaceOf),
    ];
    expect(new Set(names).size).toBe(all.length);
    expect(names.filter((name) => !/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])$/.test(name))).toEqual([]);
  });

  it('all cells run within four days, each on one of them', () => {
    const days = [0, 1, 2, 3].map((day) => quarterOf(new Date(Date.UTC(2030, 0, 1 + day))));
    const ids = days.flatMap((quarter) =>
      chooseCells(all, `quarter ${quarter}`).map(({ id }) => id),
    );
    expect([...ids].sort()).toEqual(all.map(({ id }) => id));
  });

  it('a user can run single cells by number', () => {
    expect(chooseCells(all, 'only 3,17').map(({ id }) => id)).toEqual(['03', '17']);
    expect(() => chooseCells(all, 'only 99')).toThrow('allowed are 1 to');
  });
});
