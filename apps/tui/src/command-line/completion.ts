import type { Command, Option } from 'commander'

export const completionShells = ['bash', 'zsh', 'fish'] as const
export type CompletionShell = (typeof completionShells)[number]

interface CompletionChoice {
  readonly name: string
  readonly about: string
}

/** Words that can follow a command, by the path to it: `` for the program, ` login` for `parley login`. */
interface CommandChoices {
  readonly path: string
  readonly commands: readonly CompletionChoice[]
  /** Choices of arguments with a fixed set of values. */
  readonly words: readonly CompletionChoice[]
  readonly options: readonly CompletedOption[]
}

interface CompletedOption extends CompletionChoice {
  /** All spellings, the long one first. */
  readonly spellings: readonly string[]
  readonly takesValue: boolean
  /** Values to choose from; empty for an option without choices. */
  readonly values: readonly string[]
}

/** Returns the script that completes the words of `parley` in a shell, made from the table of commands. */
export function completionScript(shell: CompletionShell, program: Command): string {
  const places = choicesByCommand(program, '')
  switch (shell) {
    case 'bash':
      return bashScript(places)
    case 'zsh':
      return zshScript(places)
    case 'fish':
      return fishScript(places)
  }
}

function choicesByCommand(command: Command, path: string): readonly CommandChoices[] {
  const place: CommandChoices = {
    path,
    commands: command.commands.map((one) => ({ name: one.name(), about: firstSentence(one.description()) })),
    words: command.registeredArguments.flatMap(({ argChoices = [], description }) =>
      argChoices.map((name) => ({ name, about: description })),
    ),
    options: [...command.options.filter(({ hidden }) => !hidden).map(optionOf), help],
  }
  return [place, ...command.commands.flatMap((one) => choicesByCommand(one, `${path} ${one.name()}`))]
}

const help: CompletedOption = {
  name: '--help',
  spellings: ['--help'],
  about: 'print this help',
  takesValue: false,
  values: [],
}

function optionOf({ long, short, description, required, optional, argChoices = [] }: Option): CompletedOption {
  const spellings = [long, short].filter((name) => typeof name === 'string')
  const [name = ''] = spellings
  return { name, spellings, about: firstSentence(description), takesValue: required || optional, values: argChoices }
}

/** Returns the first sentence of a help text, which fits in a list of choices. */
function firstSentence(text: string): string {
  return text.split(/[;:.] |[;:]$/, 1)[0] ?? ''
}

/** Returns the paths below the program as a pattern of `case`. */
function pathPattern(places: readonly CommandChoices[]): string {
  return places.flatMap(({ path }) => (path === '' ? [] : [`'${path}'`])).join('|')
}

/** Returns all words that can follow a command, in the order of the list. */
function choicesAt({ commands, words, options }: CommandChoices): readonly CompletionChoice[] {
  return [...commands, ...words, ...options]
}

/** Returns the cases for the value of an option: its choices, or nothing, so that the shell completes files. */
function valueCases(places: readonly CommandChoices[], write: (values: string) => string): string {
  const spelled = places.flatMap(({ options }) =>
    options.flatMap((option) => option.spellings.map((spelling) => ({ spelling, ...option }))),
  )
  const cases = [...Map.groupBy(spelled, ({ spelling }) => spelling)].flatMap(([spelling, uses]) => {
    const values = uses.find((use) => use.values.length > 0)?.values ?? []
    // `--yes` takes a value in one command and none in others, and then it has none to complete.
    return uses.every(({ takesValue }) => takesValue) ? [{ spelling, values: values.join(' ') }] : []
  })
  const groups = Map.groupBy(cases, ({ values }) => values)
  return [...groups]
    .map(([values, those]) => `    ${those.map(({ spelling }) => spelling).join('|')}) ${write(values)} ;;`)
    .join('\n')
}

function bashScript(places: readonly CommandChoices[]): string {
  return `# Completion of parley for bash, from: parley completion bash
_parley() {
  local current=\${COMP_WORDS[COMP_CWORD]} path= words= word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in
      ${pathPattern(places)}) path="$path $word" ;;
    esac
  done
  case \${COMP_WORDS[COMP_CWORD-1]} in
${valueCases(places, (values) => `words='${values}'`)}
    *)
      case $path in
${places
  .map(
    (place) =>
      `        '${place.path}') words='${choicesAt(place)
        .map(({ name }) => name)
        .join(' ')}' ;;`,
  )
  .join('\n')}
      esac
      ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -o default -F _parley parley
`
}

function zshScript(places: readonly CommandChoices[]): string {
  const quoted = ({ name, about }: CompletionChoice) =>
    `'${name}:${about.replaceAll("'", "'\\''").replaceAll(':', '\\:')}'`
  const listed = (place: CommandChoices) => choicesAt(place).map(quoted).join(' ')
  return `#compdef parley
# Completion of parley for zsh, from: parley completion zsh
_parley() {
  # \`path\` would be the PATH of the shell.
  local place= word
  local -a choices
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$place $word" in
      ${pathPattern(places)}) place="$place $word" ;;
    esac
  done
  case $words[CURRENT-1] in
${valueCases(places, (values) => `choices=(${values})`)}
    *)
      case $place in
${places.map((place) => `        '${place.path}') choices=(${listed(place)}) ;;`).join('\n')}
      esac
      ;;
  esac
  (( $#choices )) && _describe parley choices || _files
}
compdef _parley parley
`
}

function fishScript(places: readonly CommandChoices[]): string {
  const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  const lines = places.flatMap((place) => {
    const when = quoted(`__parley_at '${place.path}'`)
    return [
      ...[...place.commands, ...place.words].map(
        ({ name, about }) => `complete -c parley -f -n ${when} -a ${name} -d ${quoted(about)}`,
      ),
      ...place.options.map(
        (option) =>
          `complete -c parley -n ${when} ${fishSpellings(option)}${fishValue(option)} -d ${quoted(option.about)}`,
      ),
    ]
  })
  return `# Completion of parley for fish, from: parley completion fish
function __parley_at
  set -l place ''
  for word in (commandline -opc)[2..-1]
    switch "$place $word"
      case ${places.flatMap(({ path }) => (path === '' ? [] : [`'${path}'`])).join(' ')}
        set place "$place $word"
    end
  end
  test "$place" = "$argv[1]"
end
${lines.join('\n')}
`
}

function fishSpellings({ spellings }: CompletedOption): string {
  return spellings.map((one) => (one.startsWith('--') ? `-l ${one.slice(2)}` : `-s ${one.slice(1)}`)).join(' ')
}

/** Returns the option's value as fish takes it: choices without files, any value with files, or nothing. */
function fishValue({ takesValue, values }: CompletedOption): string {
  if (values.length > 0) return ` -x -a '${values.join(' ')}'`
  return takesValue ? ' -r' : ''
}
