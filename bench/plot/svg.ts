// How do measured values become a plot that is readable on light and on dark pages?
import { type Axis, scaleOf } from './scale.ts';

export type Series = {
  readonly name: string;
  readonly points: readonly (readonly [number, number])[];
};

export type Plot = {
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly Series[];
  /** The target: a line across. */
  readonly target?: { readonly value: number; readonly text: string };
};

const WIDTH = 420;
const HEIGHT = 280;
const MARGIN = { left: 62, right: 16, top: 34, bottom: 46 };
const INNER = {
  width: WIDTH - MARGIN.left - MARGIN.right,
  height: HEIGHT - MARGIN.top - MARGIN.bottom,
};

const STYLE = `
  text { font: 11px system-ui, sans-serif; fill: #424a53 }
  .title { font-size: 13px; font-weight: 600 }
  .grid { stroke: #8c959f; stroke-opacity: .3 }
  .frame { stroke: #8c959f; fill: none }
  .target { stroke: #8c959f; stroke-dasharray: 5 4 }
  .line { fill: none; stroke-width: 2 }
  .c0 { stroke: #0969da } .f0 { fill: #0969da } .c1 { stroke: #bc4c00 } .f1 { fill: #bc4c00 }
  .c2 { stroke: #1a7f37 } .f2 { fill: #1a7f37 } .c3 { stroke: #8250df } .f3 { fill: #8250df }
  @media (prefers-color-scheme: dark) {
    text { fill: #c9d1d9 }
    .c0 { stroke: #58a6ff } .f0 { fill: #58a6ff } .c1 { stroke: #f0883e } .f1 { fill: #f0883e }
    .c2 { stroke: #56d364 } .f2 { fill: #56d364 } .c3 { stroke: #bc8cff } .f3 { fill: #bc8cff }
  }`;

/** Side by side, with this many in a row. */
export function svgOf(plots: readonly Plot[], columns = 2): string {
  const width = Math.min(columns, plots.length) * WIDTH;
  const height = Math.ceil(plots.length / columns) * HEIGHT;
  const panels = plots.map(
    (plot, index) =>
      `<g transform="translate(${(index % columns) * WIDTH} ${Math.floor(index / columns) * HEIGHT})">\n${panel(plot)}\n</g>`,
  );
  const title = escaped(plots.map((plot) => plot.title).join('; '));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">
<style>${STYLE}
</style>
${panels.join('\n')}
</svg>
`;
}

function panel({ title, x, y, series, target }: Plot): string {
  const points = series.flatMap((it) => it.points);
  const across = scaleOf(
    x,
    points.map(([value]) => value),
  );
  const up = scaleOf(y, [
    ...points.map(([, value]) => value),
    ...(target === undefined ? [] : [target.value]),
  ]);
  const left = (value: number): string => (MARGIN.left + across.at(value) * INNER.width).toFixed(1);
  const top = (value: number): string =>
    (MARGIN.top + (1 - up.at(value)) * INNER.height).toFixed(1);
  const right = WIDTH - MARGIN.right;
  const bottom = HEIGHT - MARGIN.bottom;
  return [
    text(WIDTH / 2, 16, title, 'middle', 'title'),
    ...up.ticks.map(
      ({ value, text: label }) =>
        line(MARGIN.left, top(value), right, top(value), 'grid') +
        text(MARGIN.left - 6, Number(top(value)) + 4, label, 'end'),
    ),
    ...across.ticks.map(
      ({ value, text: label }) =>
        line(left(value), MARGIN.top, left(value), bottom, 'grid') +
        text(left(value), bottom + 15, label, 'middle'),
    ),
    `<rect class="frame" x="${MARGIN.left}" y="${MARGIN.top}" width="${INNER.width}" height="${INNER.height}"/>`,
    text(MARGIN.left + INNER.width / 2, HEIGHT - 12, x.label, 'middle'),
    `<g transform="translate(14 ${MARGIN.top + INNER.height / 2}) rotate(-90)">${text(0, 0, y.label, 'middle')}</g>`,
    ...(target === undefined
      ? []
      : [
          line(MARGIN.left, top(target.value), right, top(target.value), 'target'),
          text(MARGIN.left + 4, Number(top(target.value)) - 4, target.text, 'start'),
        ]),
    ...series.map((it, index) => drawn(it, index, left, top)),
    ...(series.length > 1 ? series.map(({ name }, index) => legend(name, index)) : []),
  ].join('\n');
}

function drawn(
  { points }: Series,
  index: number,
  left: (value: number) => string,
  top: (value: number) => string,
): string {
  const path = points.map(([x, y], at) => `${at === 0 ? 'M' : 'L'}${left(x)} ${top(y)}`).join('');
  // Points that would hide one another become a line.
  const dots =
    points.length > 40
      ? []
      : points.map(
          ([x, y]) => `<circle class="f${index % 4}" cx="${left(x)}" cy="${top(y)}" r="3"/>`,
        );
  return [`<path class="line c${index % 4}" d="${path}"/>`, ...dots].join('');
}

function legend(name: string, index: number): string {
  const y = MARGIN.top + 14 + index * 15;
  return (
    line(MARGIN.left + 8, y - 4, MARGIN.left + 24, y - 4, `line c${index % 4}`) +
    text(MARGIN.left + 29, y, name, 'start')
  );
}

const line = (
  x1: number | string,
  y1: number | string,
  x2: number | string,
  y2: number | string,
  kind: string,
): string => `<line class="${kind}" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"/>`;

const text = (
  x: number | string,
  y: number,
  what: string,
  anchor: 'start' | 'middle' | 'end',
  kind?: string,
): string =>
  `<text x="${x}" y="${y}" text-anchor="${anchor}"${kind === undefined ? '' : ` class="${kind}"`}>${escaped(what)}</text>`;

const escaped = (what: string): string =>
  what.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
