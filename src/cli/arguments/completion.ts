// What does each shell need to complete a command line?
import type { Shape } from './command.ts';
import { nameWords, topicsOf } from './names.ts';
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

const wordsOf = (shapes: Shapes, topic?: string): string =>
  nameWords(shapes, topic)
    .map(([word]) => word)
    .join(' ');

function bash(shapes: Shapes): string {
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
    return `    "${shape.name}") COMPREPLY=($(compgen -W "${words.join(' ')}" -- "$cur")) ;;`;
  });
  const asking = shapes.filter(mustAsk).map(({ name }) => `"${name}"`);
  const topics = topicsOf(shapes).map(
    (topic) =>
      `    ${topic}) name="${topic} \${words[2]}"
      if [ "$last" -eq 2 ]; then COMPREPLY=($(compgen -W "${wordsOf(shapes, topic)}" -- "$cur")); return; fi ;;`,
  );
  // Bash takes the parts of a name with colons for words: the line is cut at spaces only.
  return `_swarmctl_ask() {
  local colons="" reply
  case "$COMP_WORDBREAKS" in *:*) colons="\${cur%"\${cur##*:}"}" ;; esac
  while IFS= read -r reply; do COMPREPLY+=("\${reply#"$colons"}"); done < <("\${words[@]:0:1}" __complete "\${words[@]:1}" 2>/dev/null)
  compopt +o default 2>/dev/null
}
_swarmctl() {
  local line="\${COMP_LINE:0:COMP_POINT}" cur prev last name
  local -a words
  read -r -a words <<< "$line"
  case "$line" in *[[:space:]]) words+=("") ;; esac
  last=$((\${#words[@]} - 1))
  cur="\${words[last]}" prev="\${words[last-1]}"
  COMPREPLY=()
  if [ "$last" -eq 1 ]; then COMPREPLY=($(compgen -W "${wordsOf(shapes)}" -- "$cur")); return; fi
  name="\${words[1]}"
  case "$name" in
${topics.join('\n')}
  esac
  case "$name $prev" in
${values.join('\n')}
  esac
  case "$cur" in
    -*) ;;
    *) case "$name" in ${asking.join('|')}) _swarmctl_ask ;; esac; return ;;
  esac
  case "$name" in
${flags.join('\n')}
  esac
}
complete -o default -F _swarmctl swarmctl
`;
}

function zsh(shapes: Shapes): string {
  const described = (topic?: string): string =>
    nameWords(shapes, topic)
      .map(([word, meaning]) => `\n    ${single(`${word}:${meaning}`)}`)
      .join('');
  const cases = shapes.map((shape) => {
    const specs = flagsOf(shape).map((flag) => `        ${zshSpec(flag)}`);
    const operand = `        '*:name:${mustAsk(shape) ? '_swarmctl_ask' : '_files'}'`;
    return `      '${shape.name}')\n        _arguments \\\n${[...specs, operand].join(' \\\n')}\n        ;;`;
  });
  const topics = topicsOf(shapes).map(
    (topic) => `      ${topic})
        if (( CURRENT == 2 )); then
          commands=(${described(topic)})
          _describe command commands
          return
        fi
        command="${topic} \${words[2]}"
        shift words
        (( CURRENT-- ))
        ;;`,
  );
  return `#compdef swarmctl
_swarmctl_ask() {
  local -a found
  found=(\${(f)"$(swarmctl __complete "\${typed[@]}" "$PREFIX" 2>/dev/null)"})
  compadd -a found
}
_swarmctl() {
  local -a commands=(${described()}
  )
  # _arguments sees fewer words.
  local -a typed=("\${(@)words[2,CURRENT-1]}")
  if (( CURRENT == 2 )); then
    _describe command commands
  else
    local command=\${words[2]}
    shift words
    (( CURRENT-- ))
    case $command in
${topics.join('\n')}
    esac
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

/** Does the typed line begin with these words, or is it just these? */
const FISH_TYPED = `function __swarmctl_line
  set -l typed (commandline -opc)
  string join -- ' ' $typed[2..-1]
end
function __swarmctl_typed
  set -l line (__swarmctl_line)
  string match -q -- "$argv *" "$line "
end
function __swarmctl_typed_exactly
  set -l line (__swarmctl_line)
  test "$line" = "$argv"
end`;

function fish(shapes: Shapes): string {
  return [
    FISH_TYPED,
    ...nameWords(shapes).map(
      ([word, meaning]) =>
        `complete -c swarmctl -n __fish_use_subcommand -f -a ${word} -d ${single(meaning)}`,
    ),
    ...topicsOf(shapes).flatMap((topic) =>
      nameWords(shapes, topic).map(
        ([word, meaning]) =>
          `complete -c swarmctl -n '__swarmctl_typed_exactly ${topic}' -f -a ${word} -d ${single(meaning)}`,
      ),
    ),
    ...shapes
      .filter(mustAsk)
      .map(({ name }) => `complete -c swarmctl -n '__swarmctl_typed ${name}' -f -a '${FISH_ASKS}'`),
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
        return `complete -c swarmctl -n '__swarmctl_typed ${shape.name}' -l ${name}${short}${value} -d ${single(flag.help)}`;
      }),
    ),
    '',
  ].join('\n');
}

/** Every shell escapes an apostrophe differently: a typographic one needs no escape. */
const single = (text: string): string => `'${text.replaceAll("'", '’')}'`;
