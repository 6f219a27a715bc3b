// Which cells run? All, some by number, or a quarter, so that four days run all.
const DAY_MS = 24 * 3_600_000;

export const quarterOf = (date: Date): number => (Math.floor(date.getTime() / DAY_MS) % 4) + 1;

/** `''`, `only 3,17`, `quarter 2`. Throws when no cell has the number. */
export function chooseCells<Row extends { readonly id: string }>(
  cells: readonly Row[],
  choice: string,
): readonly Row[] {
  const [how, what = ''] = choice.split(' ');
  if (how === '') return cells;
  if (how === 'quarter') return cells.filter((_, index) => (index % 4) + 1 === Number(what));
  const wanted = what.split(',').map((id) => id.padStart(2, '0'));
  const unknown = wanted.filter((id) => !cells.some((cell) => cell.id === id));
  if (how !== 'only' || unknown.length > 0)
    throw new Error(`unknown cell "${choice}"; allowed are 1 to ${cells.length}`);
  return cells.filter(({ id }) => wanted.includes(id));
}
