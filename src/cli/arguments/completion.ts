// What does each shell need to complete a command line? A function that asks swarmctl by its hidden
// command `__complete`: a newer swarmctl needs no newer function.

/**
 * For bash a word ends at a colon, too: the line is cut at spaces only. Its second argument is the
 * part of the last word that bash replaces.
 */
const bash = `_swarmctl() {
  local line="\${COMP_LINE:0:COMP_POINT}" tab=$'\\t' before reply
  local -a words
  read -r -a words <<< "$line"
  case "$line" in *[[:space:]]) words+=("") ;; esac
  before="\${words[\${#words[@]}-1]%"$2"}"
  COMPREPLY=()
  while IFS= read -r reply; do
    case "$reply" in
      :0) ;;
      :4) compopt +o default 2>/dev/null ;;
      *) reply="\${reply%%"$tab"*}"; COMPREPLY+=("\${reply#"$before"}") ;;
    esac
  done < <("\${words[0]}" __complete "\${words[@]:1}" 2>/dev/null)
}
complete -o default -F _swarmctl swarmctl
`;

/** `_describe` takes what follows a colon for the meaning. */
const zsh = `#compdef swarmctl
_swarmctl() {
  local -a found=("\${(@f)$("\${words[1]}" __complete "\${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}")
  local files=\${found[-1]}
  found=("\${(@)found[1,-2]//:/\\\\:}")
  found=("\${(@)found/$'\\t'/:}")
  _describe -V swarmctl found
  [[ $files == :0 ]] && { compset -P '--*='; _files; }
}
compdef _swarmctl swarmctl
`;

const fish = `function __swarmctl_asked
  set -l typed (commandline -opc)
  set -g __swarmctl_found ($typed[1] __complete $typed[2..-1] (commandline -ct) 2>/dev/null)
  set -l files $__swarmctl_found[-1]
  set -e __swarmctl_found[-1]
  test "$files" != :0
end
complete -c swarmctl -n __swarmctl_asked -f -k -a '$__swarmctl_found'
`;

/** By the name of the shell. */
export const completions: ReadonlyMap<string, string> = new Map([
  ['bash', bash],
  ['zsh', zsh],
  ['fish', fish],
]);
