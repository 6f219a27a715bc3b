// What does a terminal show for a text? Lines of spans, each with its style.

export type Ink = {
  readonly colour?: 'red' | 'green' | 'yellow' | 'cyan';
  readonly isBold?: true;
  readonly isFaint?: true;
};
export type Span = { readonly text: string; readonly column: number; readonly ink: Ink };

const colours: Readonly<Record<string, Ink['colour']>> = {
  '31': 'red',
  '32': 'green',
  '33': 'yellow',
  '36': 'cyan',
};

/** Only colour sequences are supported: a picture cannot show other control sequences. */
const sequence = new RegExp(String.raw`${'\u001b'}\[([\d;]*)([A-Za-z])`, 'g');

export function linesOf(text: string): readonly (readonly Span[])[] {
  let ink: Ink = {};
  return text
    .replaceAll('\r\n', '\n')
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => {
      const spans: Span[] = [];
      let column = 0;
      const add = (part: string): void => {
        if (part !== '') spans.push({ text: part, column, ink });
        column += [...part].length;
      };
      let from = 0;
      for (const found of line.matchAll(sequence)) {
        add(line.slice(from, found.index));
        const [whole, codes = '', command] = found;
        if (command === 'm') ink = inked(ink, codes);
        else if (command !== 'K')
          throw new Error(`a picture cannot follow ${JSON.stringify(whole)}`);
        from = found.index + whole.length;
      }
      add(line.slice(from));
      return spans;
    });
}

function inked(before: Ink, codes: string): Ink {
  let ink = before;
  for (const code of codes.split(';')) {
    const colour = colours[code];
    if (code === '' || code === '0') ink = {};
    else if (code === '1') ink = { ...ink, isBold: true };
    else if (code === '2') ink = { ...ink, isFaint: true };
    else if (colour !== undefined) ink = { ...ink, colour };
    else throw new Error(`a picture has no colour for ${JSON.stringify(code)}`);
  }
  return ink;
}
