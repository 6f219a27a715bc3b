// How do values become lines that fit a terminal?

export type TextStyle = 'strong' | 'faint' | 'good' | 'busy' | 'bad' | 'amount' | 'news';
export type Span = { readonly text: string; readonly style?: TextStyle };

export type Line = string | readonly Span[];

/**
 * A text is cut to its column. A list shows as many of its items as fit, and how many more there
 * are. Undefined: not known.
 */
export type Cell = string | number | undefined | Span | readonly Span[];

/** `least` keeps a column from jumping when the table is redrawn with other values. */
type TableColumn = {
  readonly title: string;
  readonly align?: 'right';
  readonly least?: number;
};
export type Table = {
  readonly columns: readonly (string | TableColumn)[];
  readonly rows: readonly (readonly Cell[])[];
};

export const right = (title: string): TableColumn => ({ title, align: 'right' });

const GAP = 2;

/** Columns are as wide as what is in them; the last one takes the rest of the width. */
export function tableLines({ columns, rows }: Table, width: number): readonly Line[] {
  const all = columns.map((it): TableColumn => (typeof it === 'string' ? { title: it } : it));
  const last = all.length - 1;
  const widths = all
    .slice(0, last)
    .map(({ title, least = 0 }, at) =>
      Math.max(least, widthOf(title), ...rows.map((row) => cellWidth(row[at]))),
    );
  const rest = Math.max(0, width - widths.reduce((sum, it) => sum + it + GAP, 0));
  const titles = all.map(({ title }): Cell => ({ text: title, style: 'faint' }));
  return [titles, ...rows].map((row) => {
    const parts = all.flatMap(({ align }, at) => {
      const spans = fitted(row[at], at === last ? rest : (widths[at] ?? 0));
      if (at === last) return spans;
      return [...padded(spans, widths[at] ?? 0, align), { text: ' '.repeat(GAP) }];
    });
    return cutLine(parts, width);
  });
}

/** Ends in "…" where something was left out. */
export function cutLine(line: Line, width: number): readonly Span[] {
  const spans = spansOf(line);
  if (lineWidth(spans) <= width) return spans;
  let left = Math.max(0, width - 1);
  const kept: Span[] = [];
  for (const span of spans) {
    const text = startOf(span.text, left);
    kept.push({ ...span, text });
    left -= widthOf(text);
    if (text !== span.text) break;
  }
  return width < 1
    ? []
    : [...kept.filter(({ text }) => text !== ''), { text: '…', style: 'faint' }];
}

const spansOf = (line: Line): readonly Span[] =>
  typeof line === 'string' ? [{ text: line }] : line;
export const textOf = (line: Line): string => paint(line, false);

/** The name of a stream must not steer the terminal. */
const steering = /\p{Cc}/gu;

const codes: Readonly<Record<TextStyle, string>> = {
  strong: '1',
  faint: '2',
  good: '32',
  busy: '33',
  bad: '31',
  amount: '36',
  news: '1;36',
};

export function paint(line: Line, isColoured: boolean): string {
  return spansOf(line)
    .map(({ text, style }) => {
      const shown = text.replace(steering, '�');
      return isColoured && style !== undefined ? `\u001b[${codes[style]}m${shown}\u001b[0m` : shown;
    })
    .join('');
}

const fitted = (cell: Cell, width: number): readonly Span[] =>
  isList(cell) ? fittedList(cell, width) : cutLine([spanOf(cell)], width);

function fittedList(items: readonly Span[], width: number): readonly Span[] {
  for (let count = items.length; count > 0; count -= 1) {
    const shown = joined(items.slice(0, count), items.length - count);
    if (lineWidth(shown) <= width) return shown;
  }
  return cutLine(items.length === 0 ? [] : [{ text: `+${items.length}`, style: 'faint' }], width);
}

function joined(items: readonly Span[], more: number): readonly Span[] {
  const all: readonly Span[] =
    more === 0 ? items : [...items, { text: `+${more}`, style: 'faint' }];
  return all.flatMap((item, at) => (at === 0 ? [item] : [{ text: ' ' }, item]));
}

function padded(spans: readonly Span[], width: number, align?: 'right'): readonly Span[] {
  const padding = { text: ' '.repeat(Math.max(0, width - lineWidth(spans))) };
  return align === 'right' ? [padding, ...spans] : [...spans, padding];
}

const isList = (cell: Cell): cell is readonly Span[] => Array.isArray(cell);
const spanOf = (cell: Exclude<Cell, readonly Span[]>): Span =>
  typeof cell === 'object' ? cell : { text: String(cell ?? '-') };
const cellWidth = (cell: Cell): number =>
  lineWidth(isList(cell) ? joined(cell, 0) : [spanOf(cell)]);
const lineWidth = (spans: readonly Span[]): number =>
  spans.reduce((sum, { text }) => sum + widthOf(text), 0);

/** Made when it is first needed: that takes longer than to draw a table. */
let segmenter: Intl.Segmenter | undefined;
const graphemesOf = (text: string): Intl.Segments => {
  segmenter ??= new Intl.Segmenter();
  return segmenter.segment(text);
};
const isPlain = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);
const wide =
  /\p{Script=Han}|\p{Script=Hangul}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Emoji_Presentation}|[\u3000-\u303f\uff01-\uff60]/u;

/** In columns of a terminal. */
function widthOf(text: string): number {
  if (isPlain(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemesOf(text)) width += wide.test(segment) ? 2 : 1;
  return width;
}

function startOf(text: string, width: number): string {
  if (isPlain(text)) return text.slice(0, Math.max(0, width));
  let start = '';
  let left = width;
  for (const { segment } of graphemesOf(text)) {
    left -= widthOf(segment);
    if (left < 0) break;
    start += segment;
  }
  return start;
}
