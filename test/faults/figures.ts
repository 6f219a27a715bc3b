// How long did cells take, and how often was something written? As a table of docs/reliability.md.

const secondsText = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

export class Figures {
  readonly #heads: readonly string[];
  readonly #rows: (readonly [id: string, ...cells: readonly (string | number)[]])[] = [];

  /** Of the columns after the first two, which are durations. */
  constructor(...counts: readonly string[]) {
    this.#heads = ['', 'fault', 'then', ...counts];
  }

  /**
   * `faultMs`: from the change until the fault is over. `settledMs`: from then until all is where
   * it has to be.
   */
  note(id: string, faultMs: number, settledMs: number, ...counts: readonly number[]): void {
    this.#rows.push([id, secondsText(faultMs), secondsText(settledMs), ...counts]);
  }

  /** Not by console.log: jest would add the source location. Nothing if no such cell has passed. */
  print(): void {
    if (this.#rows.length === 0) return;
    const rows = this.#rows.toSorted(([a], [b]) => Number(a) - Number(b));
    const lines = [this.#heads, this.#heads.map(() => '---'), ...rows];
    process.stdout.write(`\n${lines.map((line) => `| ${line.join(' | ')} |`).join('\n')}\n\n`);
  }
}
