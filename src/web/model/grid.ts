// Where does the focus go among columns of different heights?

export type GridCell = { readonly column: number; readonly row: number };

/** `heights`: the number of blocks in each column. Undefined: the key moves nothing. */
export function cellAfter(
  key: string,
  { column, row }: GridCell,
  heights: readonly number[],
): GridCell | undefined {
  const last = (at: number): number => Math.max(0, (heights[at] ?? 0) - 1);
  switch (key) {
    case 'ArrowUp':
      return { column, row: Math.max(0, row - 1) };
    case 'ArrowDown':
      return { column, row: Math.min(last(column), row + 1) };
    case 'ArrowLeft':
      return beside(-1);
    case 'ArrowRight':
      return beside(1);
    case 'Home':
      return { column, row: 0 };
    case 'End':
      return { column, row: last(column) };
    default:
      return undefined;
  }

  /** The next column that has any blocks. */
  function beside(step: number): GridCell {
    for (let at = column + step; at >= 0 && at < heights.length; at += step) {
      if ((heights[at] ?? 0) > 0) return { column: at, row: Math.min(row, last(at)) };
    }
    return { column, row };
  }
}
