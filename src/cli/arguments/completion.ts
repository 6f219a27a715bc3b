// What does each shell need to complete a command line?
import type { Shape } from './command.ts';
import { flagsOf, type SpelledFlag, takesFile, takesName } from './offers.ts';

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

/** Operands that are no files: swarmctl is asked for them, by its hidden command `__complete`. */
const mustAsk = ({ operands: { usage } }: Shape): boolean =>
  usage !== '' && !usage.includes('FILE');

/** What follows a flag, as a shell writes it; nothing after a switch. */
function valueAfter(
  { name, flag }: SpelledFlag,
  syntax: { choices: (choices: string) => string; names: string; file: string; any: string },
): string {
  if (flag.type === 'switch') return '';
  if (flag.type === 'choice') return syntax.choices(flag.among.join(' '));
  if (takesName(name)) return syntax.names;
  return takesFile(flag) ? syntax.file : syntax.any;
}

function bash(shapes: Shapes): string {
  const names = shapes.map(({ name }) => name).join(' ');
  const values = shapes.flatMap((shape) =>
    flagsOf(shape).flatMap((spelled) => {
      if (spelled.flag.type === 'switch') return [];
      const words = spelled.spellings.map((spelling) => `"${shape.name} ${spelling}"`);
      const found = valueAfter(spelled, {
        choices: (choices) => `COMPREPLY=($(compgen -W "${choices}" -- "$cur"))`,
        names: '_swarmctl_ask',
        file: 'COMPREPLY=($(compgen -f -- "$cur"))',
        any: ':',
      });
      return [`    ${words.join('|')}) ${found}; return ;;`];
    }),
  );
  const flags = shapes.map((shape) => {
    const words = flagsOf(shape).map(({ name }) => `--${name}`);
    return `    ${shape.name}) COMPREPLY=($(compgen -W "${words.join(' ')}" -- "$cur")) ;;`;
  });
  const asking = shapes.filter(mustAsk).map(({ name }) => name);
  // Bash takes the parts of a name with colons for words: the line is cut at spaces only.
  return `_swarmctl_ask() {
  local colons="" reply
  case "$COMP_WORDBREAKS" in *:*) colons="\${cur%"\${cur##*:}"}" ;; esac
  while IFS= read -r reply; do COMPREPLY+=("\${reply#"$colons"}"); done < <("\${words[@]:0:1}" __complete "\${words[@]:1}" 2>/dev/null)
  compopt +o default 2>/dev/null
}
_swarmctl() {
  local line="\${COMP_LINE:0:COMP_POINT}" cur prev last
  local -a words
  read -r -a words <<< "$line"
  case "$line" in *[[:space:]]) words+=("") ;; esac
  last=$((\${#words[@]} - 1))
  cur="\${words[last]}" prev="\${words[last-1]}"
  COMPREPLY=()
  if [ "$last" -eq 1 ]; then COMPREPLY=($(compgen -W "${names}" -- "$cur")); return; fi
  case "\${words[1]} $prev" in
${values.join('\n')}
  esac
  case "$cur" in
    -*) ;;
    *) case "\${words[1]}" in ${asking.join('|')}) _swarmctl_ask ;; esac; return ;;
  esac
  case "\${words[1]}" in
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
    const operand = `        '*:name:${mustAsk(shape) ? '_swarmctl_ask' : '_files'}'`;
    return `      ${shape.name})\n        _arguments \\\n${[...specs, operand].join(' \\\n')}\n        ;;`;
  });
  return `#compdef swarmctl
_swarmctl_ask() {
  local -a found
  found=(\${(f)"$(swarmctl __complete "\${(@)words[1,CURRENT-1]}" "$PREFIX" 2>/dev/null)"})
  compadd -a found
}
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

function zshSpec(spelled: SpelledFlag): string {
  const { flag, spellings: all } = spelled;
  const meaning = `[${flag.help.replaceAll(/[[\]:]/g, ' ')}]`;
  const value = valueAfter(spelled, {
    choices: (choices) => `:value:(${choices})`,
    names: ':name:_swarmctl_ask',
    file: ':value:_files',
    any: ':value: ',
  });
  const repeats =
    flag.type === 'texts' ? "'*'" : all.length > 1 ? single(`(${all.join(' ')})`) : '';
  return `${repeats}${all.length > 1 ? `{${all.join(',')}}` : all[0]}${single(`${meaning}${value}`)}`;
}

const FISH_ASKS =
  '(set -l typed (commandline -opc); swarmctl __complete $typed[2..-1] (commandline -ct) 2>/dev/null)';

function fish(shapes: Shapes): string {
  return [
    ...shapes.map(
      ({ name, summary }) =>
        `complete -c swarmctl -n __fish_use_subcommand -f -a ${name} -d ${single(summary)}`,
    ),
    ...shapes
      .filter(mustAsk)
      .map(
        ({ name }) =>
          `complete -c swarmctl -n '__fish_seen_subcommand_from ${name}' -f -a '${FISH_ASKS}'`,
      ),
    ...shapes.flatMap((shape) =>
      flagsOf(shape).map((spelled) => {
        const { name, flag } = spelled;
        const short = flag.short === undefined ? '' : ` -s ${flag.short}`;
        const value = valueAfter(spelled, {
          choices: (choices) => ` -x -a ${single(choices)}`,
          names: ` -x -a '${FISH_ASKS}'`,
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
