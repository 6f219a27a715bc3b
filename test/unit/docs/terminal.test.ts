// Does the picture show the whole recorded session, and is it accessible?
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { linesOf } from '../../../scripts/terminal/ansi.ts';
import { type Cast, castText, readCast, scenesOf } from '../../../scripts/terminal/cast.ts';
import { palettes, svgOf } from '../../../scripts/terminal/svg.ts';

const read = (file: string): string =>
  readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
const ESC = '\u001b';

describe('a text on a terminal', () => {
  it('a text on a terminal becomes spans with their columns and colours', () => {
    expect(linesOf(`a ${ESC}[1;36mb${ESC}[0m${ESC}[K\r\n${ESC}[32m█▎${ESC}[0m c\r\n`)).toEqual([
      [
        { text: 'a ', column: 0, ink: {} },
        { text: 'b', column: 2, ink: { isBold: true, colour: 'cyan' } },
      ],
      [
        { text: '█▎', column: 0, ink: { colour: 'green' } },
        { text: ' c', column: 2, ink: {} },
      ],
    ]);
  });

  it.each([[`${ESC}[2J`], [`${ESC}[35mx`]])(
    'a text with sequences that a picture cannot show is refused: %j',
    (text) => {
      expect(() => linesOf(text)).toThrow('a picture');
    },
  );
});

const cast: Cast = {
  columns: 40,
  rows: 10,
  title: 'A <session>',
  events: [
    [0, 'm', 'one & only'],
    [0, 'o', `${ESC}[1;36m$ look <x>${ESC}[0m\r\n`],
    [1, 'o', `${ESC}[31mbad${ESC}[0m  & more\r\n`],
    [2, 'm', 'two'],
    [2, 'o', 'end\r\n'],
  ],
};

/** Whether every opened element is closed, in order. */
function isWellFormed(svg: string): boolean {
  const open: string[] = [];
  for (const [, close, name = '', empty] of svg.matchAll(/<(\/?)([a-z]+)[^<>]*?(\/?)>/g)) {
    if (close === '/' && open.pop() !== name) return false;
    if (close === '' && empty === '') open.push(name);
  }
  return open.length === 0;
}

describe('the picture', () => {
  it('the picture is well-formed, and loads nothing from outside', () => {
    const svg = svgOf(cast);
    expect(isWellFormed(svg)).toBe(true);
    expect(isWellFormed(svg.replace('</g>', ''))).toBe(false);
    expect(svg.replace('xmlns="http://www.w3.org/2000/svg"', '')).not.toMatch(
      /https?:|url\(|href|<script|<image/,
    );
  });

  it('the picture shows every line of each scene, and has a description for screen readers', () => {
    const svg = svgOf(cast);
    for (const text of [
      '$ look &lt;x&gt;',
      '>bad<',
      '>&amp; more<',
      '>end<',
      '<title id="title">A &lt;session&gt;</title>',
      'one &amp; only; two',
    ])
      expect(svg).toContain(text);
  });

  it('the picture shows each scene in turn, and stays still for readers who prefer no motion', () => {
    const svg = svgOf(cast);
    const ends = [
      ...svg.matchAll(
        /@keyframes t\d\{(?:0%\{visibility:hidden\})?([\d.]+)%\{visibility:visible\}(?:([\d.]+)%)?/g,
      ),
    ];
    expect(ends.map(([, from]) => from)).toEqual(['0', ends[0]?.[2]]);
    expect(svg).toContain('@media (prefers-reduced-motion:reduce){.scene{animation:none}}');
    expect(svg).toContain('.scene{visibility:hidden}.s0{visibility:visible}');
  });

  it.each(Object.entries(palettes))(
    'the picture is readable %s: its contrast is at least 4.5',
    (_, { ground, bar, ...inks }) => {
      const faint = Object.entries(inks).filter(([, ink]) => contrast(ink, ground) < 4.5);
      expect(faint).toEqual([]);
      expect(contrast(inks.faint, bar)).toBeGreaterThanOrEqual(4.5);
    },
  );

  it('the picture of README shows the recorded session, in which every command succeeded', () => {
    const recorded = readCast(read('docs/images/terminal.cast'));
    expect(castText(recorded)).toBe(read('docs/images/terminal.cast'));
    expect(svgOf(recorded)).toBe(read('docs/images/terminal.svg'));
    expect(read('README.md')).toContain('(docs/images/terminal.svg)');
    const text = scenesOf(recorded)
      .map((scene) => scene.text)
      .join('');
    expect(text).toContain('5 of 5 workers converged');
    expect(text).not.toMatch(/error|refused|not found/i);
  });
});

/** As WCAG counts it. */
function contrast(a: string, b: string): number {
  const light = (colour: string): number => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
      const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
      return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [bright = 0, dark = 0] = [light(a), light(b)].sort((x, y) => y - x);
  return (bright + 0.05) / (dark + 0.05);
}
