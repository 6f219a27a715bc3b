// Which commands does a page of the documentation show, and with which output?

export type Shown = {
  readonly page: string;
  readonly line: number;
  readonly command: string;
  /** Undefined: the page shows no output. */
  readonly output: readonly string[] | undefined;
};

type Block = {
  readonly line: number;
  readonly language: string;
  readonly lines: readonly string[];
};

const fence = /^ *```(\w*)/;
/** A command in a block of four spaces, or in a fence without a language, counts as well. */
const looksTyped = /^(\$ |kubectl |swarmctl |npm |npx |node |docker |kustomize |curl |helm )/;

export function commandsIn(page: string, text: string): readonly Shown[] {
  return blocksIn(text).flatMap(({ line, language, lines }) => {
    const at = (found: readonly Omit<Shown, 'page'>[]): readonly Shown[] =>
      found.map((it) => ({ page, ...it, line: line + it.line }));
    if (language === 'console') return at(inConsole(lines));
    if (['sh', 'bash', 'shell'].includes(language)) return at(typed(lines));
    return ['', 'text'].includes(language) && looksTyped.test(lines[0]?.trim() ?? '')
      ? at(typed(lines))
      : [];
  });
}

function blocksIn(text: string): readonly Block[] {
  const blocks: Block[] = [];
  let open: { line: number; language: string; lines: string[] } | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const found = fence.exec(line);
    if (open !== undefined && line.trim() === '```') {
      blocks.push(open);
      open = undefined;
    } else if (open !== undefined)
      open.lines.push(
        line.trimStart() === line ? line : line.slice(indentOf(open.lines[0] ?? line)),
      );
    else if (found !== null) open = { line: index + 2, language: found[1] ?? '', lines: [] };
    else if (line.startsWith('    ') && looksTyped.test(line.trim()))
      blocks.push({ line: index + 1, language: 'sh', lines: [line.trim()] });
  }
  return blocks;
}

const indentOf = (line: string): number => line.length - line.trimStart().length;

/** `$ ` begins a command; its output follows. */
function inConsole(lines: readonly string[]): readonly Omit<Shown, 'page'>[] {
  const starts = lines.flatMap((line, index) => (line.startsWith('$ ') ? [index] : []));
  return starts.map((start, at) => {
    const output = lines.slice(start + 1, starts[at + 1] ?? lines.length);
    return {
      line: start,
      command: withoutComment((lines[start] ?? '').slice(2)),
      output: output.length === 0 ? undefined : output,
    };
  });
}

function typed(lines: readonly string[]): readonly Omit<Shown, 'page'>[] {
  const commands: { line: number; command: string; output: undefined }[] = [];
  let isContinued = false;
  for (const [line, text] of lines.entries()) {
    const last = commands.at(-1);
    if (isContinued && last !== undefined) last.command += `\n${text}`;
    else if (text.trim() !== '' && !text.startsWith('#'))
      commands.push({ line, command: withoutComment(text), output: undefined });
    isContinued = text.endsWith('\\');
  }
  return commands;
}

const withoutComment = (command: string): string =>
  command.replace(/ {2,}# .*$| +# .*$/, '').trim();
