// How does a recorded session become a picture? One scene after the other, with CSS only; dark and
// light; without motion for readers who prefer that.
import { type Ink, linesOf, type Span } from './ansi.ts';
import { type Cast, type Scene, scenesOf } from './cast.ts';

/** The width of a character, in units of the picture. */
const WIDTH = 8.4;
const HEIGHT = 18;
const MARGIN = 16;
const BAR = 34;

/** How long a scene is shown: long enough to read it. */
const LEAST_SECONDS = 4;
const SECONDS_A_LINE = 0.35;

type Palette = Readonly<
  Record<'ground' | 'bar' | 'text' | 'faint' | 'green' | 'yellow' | 'red' | 'cyan', string>
>;

export const palettes: Readonly<Record<'dark' | 'light', Palette>> = {
  dark: {
    ground: '#161b22',
    bar: '#21262d',
    text: '#e6edf3',
    faint: '#9aa4af',
    green: '#56d364',
    yellow: '#e3b341',
    red: '#ff8a80',
    cyan: '#79c0ff',
  },
  light: {
    ground: '#f6f8fa',
    bar: '#e4e8ec',
    text: '#1f2328',
    faint: '#59636e',
    green: '#116329',
    yellow: '#7d4e00',
    red: '#a40e26',
    cyan: '#0550ae',
  },
};

export function svgOf(cast: Cast): string {
  const scenes = scenesOf(cast);
  const rows = Math.max(...scenes.map(({ text }) => linesOf(text).length));
  const width = Math.ceil(cast.columns * WIDTH + 2 * MARGIN);
  const height = BAR + rows * HEIGHT + MARGIN;
  const desc = scenes.map(({ name }) => name).join('; ');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title desc">`,
    `<title id="title">${escaped(cast.title)}</title>`,
    `<desc id="desc">${escaped(desc)}</desc>`,
    `<style>${styleOf(scenes)}</style>`,
    `<rect class="ground" width="${width}" height="${height}" rx="8"/>`,
    `<path class="bar" d="M0 ${BAR - 8}V8a8 8 0 0 1 8-8H${width - 8}a8 8 0 0 1 8 8V${BAR - 8}z"/>`,
    ...scenes.map((scene, index) => sceneOf(scene, index)),
    '</svg>',
    '',
  ].join('\n');
}

function sceneOf({ name, text }: Scene, index: number): string {
  const rows = linesOf(text).flatMap((spans, row) => {
    const y = BAR + (row + 1) * HEIGHT - 5;
    return spans.filter((span) => span.text.trim() !== '').map((span) => spanOf(span, y));
  });
  return [
    `<g class="scene s${index}">`,
    `<text class="name" x="${MARGIN}" y="18">${escaped(name)}</text>`,
    ...rows,
    '</g>',
  ].join('\n');
}

/** Stretched to its columns, so that tables align in any font. */
function spanOf({ text, column, ink }: Span, y: number): string {
  const shown = text.trimEnd();
  const lead = shown.length - shown.trimStart().length;
  const x = round(MARGIN + (column + lead) * WIDTH);
  const length = round([...shown.trimStart()].length * WIDTH);
  const classes = classesOf(ink);
  return `<text${classes === '' ? '' : ` class="${classes}"`} x="${x}" y="${y}" textLength="${length}">${escaped(shown.trimStart())}</text>`;
}

const classesOf = ({ colour, isBold, isFaint }: Ink): string =>
  [colour, isBold && 'bold', isFaint && colour === undefined && 'faint'].filter(Boolean).join(' ');

function styleOf(scenes: readonly Scene[]): string {
  const seconds = scenes.map(({ text }) => LEAST_SECONDS + SECONDS_A_LINE * linesOf(text).length);
  const total = seconds.reduce((sum, it) => sum + it, 0);
  let start = 0;
  const turns = seconds.map((own, index) => {
    const [from, to] = [start, start + own].map((at) => round((at / total) * 100));
    start += own;
    return turnOf(index, from ?? 0, to ?? 0, total);
  });
  return [
    'text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre}',
    '.bold{font-weight:700}.name{font-size:13px}',
    coloursOf(palettes.dark),
    `@media (prefers-color-scheme:light){${coloursOf(palettes.light)}}`,
    '.scene{visibility:hidden}.s0{visibility:visible}',
    ...turns,
    '@media (prefers-reduced-motion:reduce){.scene{animation:none}}',
  ].join('\n');
}

function turnOf(index: number, from: number, to: number, total: number): string {
  const before = from === 0 ? '' : '0%{visibility:hidden}';
  const after = to >= 100 ? '' : `${to}%,100%{visibility:hidden}`;
  return `@keyframes t${index}{${before}${from}%{visibility:visible}${after}}.s${index}{animation:t${index} ${round(total)}s step-end infinite}`;
}

const coloursOf = ({ ground, bar, text, faint, ...inks }: Palette): string =>
  [
    `text{fill:${text}}.ground{fill:${ground}}.bar{fill:${bar}}.faint,.name{fill:${faint}}`,
    ...Object.entries(inks).map(([name, colour]) => `.${name}{fill:${colour}}`),
  ].join('');

const round = (value: number): number => Math.round(value * 100) / 100;
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
