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
  readonly options: readonly Choice[]
  /** Values of options that take one of a few, by the option as it is typed. */
  readonly values: ReadonlyMap<string, readonly string[]>
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
  const options = command.options.filter(({ hidden }) => !hidden)
  const place: Place = {
    path,
    commands: command.commands.map((one) => ({ name: one.name(), about: firstSentence(one.description()) })),
    options: [
      ...options.flatMap((option) => ({
        name: option.long ?? option.short ?? '',
        about: firstSentence(option.description),
      })),
      { name: '--help', about: 'print this help' },
    ],
    values: new Map(options.flatMap(choicesOf)),
  }
  return [place, ...command.commands.flatMap((one) => placesOf(one, `${path} ${one.name()}`))]
}

function choicesOf({ argChoices, long, short }: Option): readonly (readonly [string, readonly string[]])[] {
  if (argChoices === undefined) return []
  return [long, short].flatMap((name) => (name === undefined ? [] : [[name, argChoices] as const]))
}

/** Returns what a list of choices has room for. */
function firstSentence(text: string): string {
  return text.split(/[;:.] |[;:]$/, 1)[0] ?? ''
}

/** Returns the paths below the program as a pattern of `case`. */
function pathPattern(places: readonly Place[]): string {
  return places.flatMap(({ path }) => (path === '' ? [] : [`'${path}'`])).join('|')
}

function wordsOf({ commands, options }: Place): string {
  return [...commands, ...options].map(({ name }) => name).join(' ')
}

function valueCases(places: readonly Place[], write: (values: string) => string): string {
  const cases = new Map(places.flatMap(({ values }) => [...values]))
  return [...cases].map(([name, values]) => `    ${name}) ${write(values.join(' '))} ;;`).join('\n')
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
${places.map((place) => `        '${place.path}') words='${wordsOf(place)}' ;;`).join('\n')}
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
  const listed = ({ commands, options }: Place) => [...commands, ...options].map(quoted).join(' ')
  return `#compdef parley
# Completion of parley for zsh, from: parley completion zsh
_parley() {
  local path= word
  local -a choices
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$path $word" in
      ${pathPattern(places)}) path="$path $word" ;;
    esac
  done
  case $words[CURRENT-1] in
${valueCases(places, (values) => `choices=(${values})`)}
    *)
      case $path in
${places.map((place) => `        '${place.path}') choices=(${listed(place)}) ;;`).join('\n')}
      esac
      ;;
  esac
  _describe parley choices || _files
}
compdef _parley parley
`
}

function fishScript(places: readonly Place[]): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "\\'")}'`
  const lines = places.flatMap(({ path, commands, options, values }) => {
    const names = path.trim().split(' ').filter(Boolean)
    const others = commands.map(({ name }) => name).join(' ')
    const seen = names.map((name) => `__fish_seen_subcommand_from ${name}`)
    const unseen = others === '' ? [] : [`not __fish_seen_subcommand_from ${others}`]
    const when = quoted([...seen, ...unseen].join('; and '))
    return [
      ...commands.map(({ name, about }) => `complete -c parley -f -n ${when} -a ${name} -d ${quoted(about)}`),
      ...options.map(({ name, about }) => {
        const given = values.get(name)
        const value = given === undefined ? '' : ` -x -a ${quoted(given.join(' '))}`
        return `complete -c parley -n ${when} -l ${name.replace(/^-+/, '')}${value} -d ${quoted(about)}`
      }),
    ]
  })
  return `# Completion of parley for fish, from: parley completion fish\n${lines.join('\n')}\n`
}
