// How is text made safe for a table of a Markdown page?

export const code = (text: string): string => `\`${text}\``;

/** Bars end a cell even within code; angle brackets would be HTML, but are literal within code. */
export function cell(text: string): string {
  const parts = text.replaceAll('\n', ' ').split(/(`[^`]*`)/);
  return parts
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll('<', '&lt;')))
    .join('')
    .replaceAll('|', '\\|')
    .trim();
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((text) => cell(text)).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

/** "a, b or c". */
export function listed(texts: readonly string[], last: 'and' | 'or'): string {
  return texts.length < 2
    ? texts.join('')
    : `${texts.slice(0, -1).join(', ')} ${last} ${texts.at(-1)}`;
}

export const page = (blocks: readonly string[]): string =>
  `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
