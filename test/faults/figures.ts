// How long did the cells of groups take, and how often was something written? As a table of
// docs/reliability.md.
export type GroupFigures = {
  readonly id: string;
  /** From the change until the fault is over. */
  readonly faultMs: number;
  /** From then until the group is where it has to be. */
  readonly settledMs: number;
  /** By the operators, until all is quiet. */
  readonly writes: number;
  /** Different ones of the group. */
  readonly statuses: number;
};

const all: GroupFigures[] = [];

export const noteFigures = (figures: GroupFigures): void => void all.push(figures);

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

/** Not by console.log: jest would add the source location. Nothing if no such cell has passed. */
export function printFigures(): void {
  if (all.length === 0) return;
  const rows = [...all]
    .sort((a, b) => Number(a.id) - Number(b.id))
    .map(({ id, faultMs, settledMs, writes, statuses }) =>
      [id, seconds(faultMs), seconds(settledMs), writes, statuses].join(' | '),
    );
  const head = ['| | fault | then | writes | statuses |', '| --- | --- | --- | --- | --- |'];
  process.stdout.write(`\n${[...head, ...rows.map((row) => `| ${row} |`)].join('\n')}\n\n`);
}
