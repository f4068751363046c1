import type { Command, Option } from 'commander'

/** Shells whose completion can be written. */
export const completionShells = ['bash', 'zsh', 'fish'] as const
export type CompletionShell = (typeof completionShells)[number]

interface Choice {
  readonly name: string
  readonly about: string
}

/** Words that can follow a command, by the path to it: `` for the program, ` login` for `parley login`. */
interface Place {
  readonly path: string
  readonly commands: readonly Choice[]
  /** Arguments of which there are a few. */
  readonly words: readonly Choice[]
  readonly options: readonly CompletedOption[]
}

interface CompletedOption extends Choice {
  /** All spellings, the long one first. */
  readonly spellings: readonly string[]
  readonly takesValue: boolean
  /** Values to choose from; empty where any fits, or none. */
  readonly values: readonly string[]
}

/** Returns the script that completes the words of `parley` in a shell, made from the table of commands. */
export function completionScript(shell: CompletionShell, program: Command): string {
  const places = placesOf(program, '')
  switch (shell) {
    case 'bash':
      return bashScript(places)
    case 'zsh':
      return zshScript(places)
    case 'fish':
      return fishScript(places)
  }
}

function placesOf(command: Command, path: string): readonly Place[] {
  const place: Place = {
    path,
    commands: command.commands.map((one) => ({ name: one.name(), about: firstSentence(one.description()) })),
    words: command.registeredArguments.flatMap(({ argChoices = [], description }) =>
      argChoices.map((name) => ({ name, about: description })),
    ),
    options: [...command.options.filter(({ hidden }) => !hidden).map(optionOf), help],
  }
  return [place, ...command.commands.flatMap((one) => placesOf(one, `${path} ${one.name()}`))]
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

/** Returns what a list of choices has room for. */
function firstSentence(text: string): string {
  return text.split(/[;:.] |[;:]$/, 1)[0] ?? ''
}

/** Returns the paths below the program as a pattern of `case`. */
function pathPattern(places: readonly Place[]): string {
  return places.flatMap(({ path }) => (path === '' ? [] : [`'${path}'`])).join('|')
}

/** Returns all that can stand at a place, in the order in which it is shown. */
function choicesAt({ commands, words, options }: Place): readonly Choice[] {
  return [...commands, ...words, ...options]
}

/** Returns the cases for the value of an option: its choices, or nothing, for which the shell completes files. */
function valueCases(places: readonly Place[], write: (values: string) => string): string {
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

function bashScript(places: readonly Place[]): string {
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

function zshScript(places: readonly Place[]): string {
  const quoted = ({ name, about }: Choice) => `'${name}:${about.replaceAll("'", "'\\''").replaceAll(':', '\\:')}'`
  const listed = (place: Place) => choicesAt(place).map(quoted).join(' ')
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

function fishScript(places: readonly Place[]): string {
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

/** Returns what fish is told of an option's value: its choices without files, any value with files, or nothing. */
function fishValue({ takesValue, values }: CompletedOption): string {
  if (values.length > 0) return ` -x -a '${values.join(' ')}'`
  return takesValue ? ' -r' : ''
}
