/** Builtins of the shells we read that it runs itself, whatever the search path says, and that only look. */
export const trustedBuiltins: ReadonlySet<string> = new Set('cd command echo false printf pwd test true'.split(' '))

/** Words that mean something to some shell when they open a command unquoted. */
export const reservedWords: ReadonlySet<string> = new Set(
  'if then else elif fi case esac for select while until do done in function time coproc { } ! [[ ]] repeat foreach end nocorrect noglob always integer float -'.split(
    ' ',
  ),
)

/** Builtins after which later words of the script may mean something else, or whose arguments are a script. */
export const stateBuiltins: ReadonlySet<string> = new Set(
  'alias unalias eval source . builtin export declare typeset local readonly unset set shopt enable hash trap read mapfile readarray getopts let setopt unsetopt autoload zmodload bindkey emulate disable functions history fc pushd popd shift zle compdef'.split(
    ' ',
  ),
)
