// What does each shell need to complete a command line, and which words may stand at its end?
import { type Flag, flagName } from '../../flags.ts';
import type { Shape } from './command.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;
type ShellName = (typeof shells)[number];

type Shapes = readonly Shape[];

export function completionOf(shell: ShellName, shapes: Shapes): string {
  switch (shell) {
    case 'bash':
      return bash(shapes);
    case 'zsh':
      return zsh(shapes);
    case 'fish':
      return fish(shapes);
    default:
      return shell satisfies never;
  }
}

type SpelledFlag = {
  readonly name: string;
  readonly flag: Flag;
  readonly spellings: readonly string[];
};

export function flagsOf({ flags }: Shape): readonly SpelledFlag[] {
  const help = { type: 'switch', short: 'h', help: 'what it does, with examples' } as const;
  return Object.entries<Flag>({ ...flags, help }).map(([key, flag]) => {
    const name = flagName(key);
    const short = flag.short === undefined ? [] : [`-${flag.short}`];
    return { name, flag, spellings: [`--${name}`, ...short] };
  });
}

export const takesFile = (flag: Flag): boolean =>
  (flag.type === 'text' || flag.type === 'texts') && flag.value === 'FILE';

/** What follows a flag, as a shell writes it; nothing after a switch. */
function valueAfter(
  flag: Flag,
  syntax: { choices: (choices: string) => string; file: string; any: string },
): string {
  if (flag.type === 'switch') return '';
  if (flag.type === 'choice') return syntax.choices(flag.among.join(' '));
  return takesFile(flag) ? syntax.file : syntax.any;
}

function bash(shapes: Shapes): string {
  const names = shapes.map(({ name }) => name).join(' ');
  const values = shapes.flatMap((shape) =>
    flagsOf(shape).flatMap(({ flag, spellings }) => {
      if (flag.type === 'switch') return [];
      const words = spellings.map((spelling) => `"${shape.name} ${spelling}"`);
      const found = valueAfter(flag, {
        choices: (choices) => `compgen -W "${choices}" -- "$cur"`,
        file: 'compgen -f -- "$cur"',
        any: ':',
      });
      return [`    ${words.join('|')}) COMPREPLY=($(${found})); return ;;`];
    }),
  );
  const flags = shapes.map((shape) => {
    const words = flagsOf(shape).map(({ name }) => `--${name}`);
    return `    ${shape.name}) COMPREPLY=($(compgen -W "${words.join(' ')}" -- "$cur")) ;;`;
  });
  return `_swarmctl() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}"
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W "${names}" -- "$cur")); return; fi
  case "\${COMP_WORDS[1]} $prev" in
${values.join('\n')}
  esac
  case "$cur" in -*) ;; *) return ;; esac
  case "\${COMP_WORDS[1]}" in
${flags.join('\n')}
  esac
}
complete -o default -F _swarmctl swarmctl
`;
}

function zsh(shapes: Shapes): string {
  const names = shapes.map(({ name, summary }) => `    ${single(`${name}:${summary}`)}`);
  const cases = shapes.map((shape) => {
    const specs = flagsOf(shape).map((flag) => `        ${zshSpec(flag)}`);
    return `      ${shape.name})\n        _arguments \\\n${[...specs, "        '*:file:_files'"].join(' \\\n')}\n        ;;`;
  });
  return `#compdef swarmctl
_swarmctl() {
  local -a commands=(
${names.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
  else
    local command=\${words[2]}
    shift words
    (( CURRENT-- ))
    case $command in
${cases.join('\n')}
    esac
  fi
}
compdef _swarmctl swarmctl
`;
}

function zshSpec({ flag, spellings: all }: SpelledFlag): string {
  const meaning = `[${flag.help.replaceAll(/[[\]:]/g, ' ')}]`;
  const value = valueAfter(flag, {
    choices: (choices) => `:value:(${choices})`,
    file: ':value:_files',
    any: ':value: ',
  });
  const repeats =
    flag.type === 'texts' ? "'*'" : all.length > 1 ? single(`(${all.join(' ')})`) : '';
  return `${repeats}${all.length > 1 ? `{${all.join(',')}}` : all[0]}${single(`${meaning}${value}`)}`;
}

function fish(shapes: Shapes): string {
  return [
    ...shapes.map(
      ({ name, summary }) =>
        `complete -c swarmctl -n __fish_use_subcommand -f -a ${name} -d ${single(summary)}`,
    ),
    ...shapes.flatMap((shape) =>
      flagsOf(shape).map(({ name, flag }) => {
        const short = flag.short === undefined ? '' : ` -s ${flag.short}`;
        const value = valueAfter(flag, {
          choices: (choices) => ` -x -a ${single(choices)}`,
          file: ' -r -F',
          any: ' -x',
        });
        return `complete -c swarmctl -n '__fish_seen_subcommand_from ${shape.name}' -l ${name}${short}${value} -d ${single(flag.help)}`;
      }),
    ),
    '',
  ].join('\n');
}

/** Every shell escapes an apostrophe differently: a typographic one needs no escape. */
const single = (text: string): string => `'${text.replaceAll("'", '’')}'`;

/** What may follow: words with their meaning, and files. */
type Offer = {
  readonly words?: readonly (readonly [word: string, meaning: string])[];
  readonly files?: boolean;
};

/** Directives of cobra, which kubectl is made with: may the shell offer files as well? */
const FILES = ':0';
const NO_FILES = ':4';

/**
 * In the form that kubectl reads: one word a line, then whether files may follow. `words`: what is
 * typed after the program's name; the last is the one to be completed, and may be empty.
 */
export function completionsFor(shapes: readonly Shape[], words: readonly string[]): string {
  const start = words.at(-1) ?? '';
  const { words: offered = [], files = false } = offerAfter(shapes, words.slice(0, -1), start);
  return [
    ...offered
      .filter(([word]) => word.startsWith(start))
      .map(([word, meaning]) => (meaning === '' ? word : `${word}\t${meaning}`)),
    files ? FILES : NO_FILES,
    '',
  ].join('\n');
}

function offerAfter(shapes: readonly Shape[], typed: readonly string[], start: string): Offer {
  const [name] = typed;
  if (name === undefined) return { words: shapes.map((shape) => [shape.name, shape.summary]) };
  const shape = shapes.find((it) => it.name === name);
  if (shape === undefined) return {};
  const flags = flagsOf(shape);
  const before = flags.find(({ spellings }) => spellings.includes(typed.at(-1) ?? ''))?.flag;
  if (before?.type === 'choice') return { words: before.among.map((value) => [value, '']) };
  if (before !== undefined && before.type !== 'switch') return { files: takesFile(before) };
  if (start.startsWith('-'))
    return { words: flags.map(({ name: flag, flag: { help } }) => [`--${flag}`, help]) };
  return { files: shape.operands.usage.includes('FILE') };
}
