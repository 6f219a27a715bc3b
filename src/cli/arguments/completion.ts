// What does each shell need to complete a command line? The commands, their flags, and what may
// follow a flag.
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
