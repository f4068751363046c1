import { approvalPolicies, efforts, modeNames, sandboxModes } from '@parley/protocol'
import { closest } from '@parley/text'
import {
  approvalChoices,
  effortChoices,
  modeChoices,
  type SettingChoice,
  sandboxChoices,
  themeChoices,
  themeNames,
} from './setting-choices.ts'

interface SlashCommand {
  readonly name: string
  readonly argument: string
  readonly about: string
}

export const slashCommands = [
  { name: 'help', argument: '', about: 'the commands' },
  { name: 'keys', argument: '', about: 'all keys; ? in an empty composer shows those used most' },
  { name: 'model', argument: '[[provider] id]', about: 'the models there are, or use another' },
  { name: 'effort', argument: '[level]', about: `how much the model thinks: ${efforts.join(', ')}` },
  { name: 'mode', argument: '[mode]', about: `approvals and sandbox in one word: ${modeNames.join(', ')} (Shift+Tab)` },
  { name: 'approvals', argument: '[policy]', about: `when to ask: ${approvalPolicies.join(', ')}` },
  {
    name: 'sandbox',
    argument: '[mode]',
    about: `what commands may write to: ${sandboxModes.join(', ')}`,
  },
  {
    name: 'why',
    argument: '[call]',
    about: 'why a call was run, asked about or denied: the last, how many back, or by its title',
  },
  {
    name: 'copy',
    argument: '[answer | code [N] | command | all]',
    about: 'copy the last answer, a block of its code, the last command, or all as Markdown',
  },
  { name: 'transcript', argument: '', about: 'all of the conversation, to page, search and copy (Ctrl+T)' },
  {
    name: 'compact',
    argument: '[what | undo]',
    about: 'make room: a summary stands for what was said so far, with what matters to you; or undo the last one',
  },
  {
    name: 'repair',
    argument: '[half | undo]',
    about: 'leave out what the provider refused and go on; the newest half where it named nothing; or undo that',
  },
  { name: 'rewind', argument: '', about: 'go back to before a message: files, talk or both; shows the diff first' },
  { name: 'undo', argument: '', about: 'take back what the last turn did, or the last rewind; shows the diff first' },
  { name: 'diff', argument: '', about: 'what is not committed yet in this folder' },
  {
    name: 'review',
    argument: '[--base BRANCH | --commit RANGE] [what matters]',
    about: 'have what is not committed, a branch or commits reviewed; nothing is changed',
  },
  { name: 'fix', argument: 'N', about: 'have the model mend a finding of the last review, by its number' },
  { name: 'plan', argument: '', about: "the model's plan, and how far it is" },
  { name: 'status', argument: '', about: 'this conversation and its server' },
  {
    name: 'ps',
    argument: '[stop | type TEXT]',
    about:
      'the commands that run in the background: their output, live, to search and to type into; `stop` ends one, `type` types a line into one',
  },
  {
    name: 'forward',
    argument: '[[stop] PORT]',
    about: 'let your browser reach a port of the sandbox, after a yes; or list those ports, or end one',
  },
  { name: 'hooks', argument: '', about: 'your hooks and those of the project, in their order, and which do not run' },
  { name: 'context', argument: '', about: "what fills the model's context window" },
  {
    name: 'init',
    argument: '[what matters]',
    about: 'have the model draft an AGENTS.md for this project, or better the one there is',
  },
  {
    name: 'remember',
    argument: 'TEXT',
    about: "add a line to the project's AGENTS.md, or to your own; shows the diff first",
  },
  { name: 'name', argument: 'NAME', about: 'name this conversation; `parley resume NAME` finds it' },
  {
    name: 'share',
    argument: '[USER ROLE | link [DAYS]]',
    about:
      'who reaches this conversation on a server with users; give a role (owner, editor, approver, reader, none), or make a link to read it',
  },
  { name: 'fork', argument: '', about: 'go on in a copy of this conversation' },
  { name: 'resume', argument: '', about: 'open another conversation' },
  { name: 'new', argument: '', about: 'begin a new conversation' },
  { name: 'clear', argument: '', about: 'begin a new conversation in an empty window; this one is kept' },
  { name: 'login', argument: '[provider]', about: 'give the key of a provider, or log in with a browser' },
  { name: 'logout', argument: '[provider]', about: 'forget the key or login of a provider' },
  { name: 'theme', argument: '[name]', about: `colours: ${themeNames.join(', ')}` },
  { name: 'mcp', argument: '[restart NAME]', about: 'the tool servers: state, tools, errors; or start one anew' },
  {
    name: 'trust',
    argument: '[yes | no]',
    about: "what this project's own configuration would do; then trust it, or not",
  },
  { name: 'detach', argument: '', about: 'leave, and let a running turn go on; `parley attach` comes back' },
  { name: 'quit', argument: '', about: 'leave; the conversation is kept' },
] as const satisfies readonly SlashCommand[]

export type SlashName = (typeof slashCommands)[number]['name']

/** Other names of commands, which hands know from elsewhere. */
const aliases: Readonly<Record<string, SlashName>> = {
  continue: 'resume',
  cost: 'status',
  exit: 'quit',
  memory: 'remember',
  permissions: 'approvals',
  rename: 'name',
  tasks: 'ps',
}

/** Ways to what commands of other programs do, by their names. */
const elsewhere: Readonly<Record<string, string>> = {
  'add-dir': 'a folder is added as it starts, `parley --add-dir FOLDER`',
  agents: 'no part of the work has a model of its own here',
  config: '`parley config` shows every setting with its origin',
  doctor: '`parley doctor` checks the machine',
  export: '`parley export` writes a conversation as a page, as Markdown or as JSON',
  skills: '/ and $ list them as you type, and `parley skills list` all',
  usage: '/status has this conversation, and `parley usage` all',
  vim: 'Ctrl+G opens your editor',
}

/** Names parley's own way for a command of another program; null for an unknown name. */
export function hereInstead(word: string): string | null {
  const [, prompt] = /^prompts:(.+)$/.exec(word) ?? []
  if (prompt !== undefined) return `commands of your own are /${prompt} here`
  return Object.hasOwn(elsewhere, word) ? (elsewhere[word] ?? null) : null
}

/** Returns each command with its argument and its effect, other names included. */
export function commandRows(): readonly (readonly [string, string])[] {
  return [
    ...slashCommands.map(({ name, argument, about }) => {
      const others = aliasesOf(name).map((alias) => `/${alias}`)
      return [`/${name}${argument === '' ? '' : ` ${argument}`}`, [about, ...others].join('; also ')] as const
    }),
    [
      '!command',
      'run a command yourself, outside the sandbox; editors, pagers and the like get the terminal until they end',
    ],
  ]
}

function aliasesOf(name: SlashName): readonly string[] {
  return Object.keys(aliases).filter((alias) => aliases[alias] === name)
}

export type ParsedCommand =
  | { readonly kind: 'command'; readonly name: SlashName; readonly argument: string }
  | { readonly kind: 'unknown'; readonly word: string; readonly nearest: string | null }

/** Parses a slash command; null for a message, which may begin with a path. */
export function parseSlash(text: string): ParsedCommand | null {
  const match = /^\/([^\s/]*)(?:\s+(.*))?$/s.exec(text)
  if (match === null) return null
  const [, word = '', argument = ''] = match
  const typed = word.toLowerCase()
  const found = slashCommands.find(({ name }) => name === (aliases[typed] ?? typed))
  if (found !== undefined) return { kind: 'command', name: found.name, argument: argument.trim() }
  return {
    kind: 'unknown',
    word,
    nearest: closest(
      word,
      slashCommands.map(({ name }) => name),
    ),
  }
}

/** Returns the command of a text that begins with `!`, for the user's shell; null for any other text. */
export function shellLineOf(text: string): string | null {
  return text.startsWith('!') ? text.slice(1).trim() : null
}

/** Returns commands with a name that begins with the text, that name first; empty once its first word is complete. */
export function completionsFor(text: string): readonly (typeof slashCommands)[number][] {
  const word = /^\/([a-z]*)$/i.exec(text)?.[1]?.toLowerCase()
  if (word === undefined) return []
  const begun = slashCommands.filter(({ name }) => name.startsWith(word))
  if (word === '') return begun
  // Enter runs the first one, so `/mode` may not be `/model`.
  const named = begun.toSorted((one, other) => Number(other.name === word) - Number(one.name === word))
  const others = slashCommands.filter(
    ({ name }) => !name.startsWith(word) && aliasesOf(name).some((alias) => alias.startsWith(word)),
  )
  return [...named, ...others]
}

/** Arguments that the list of completions offers, by command; models are offered by a menu. */
const knownArguments: Partial<Readonly<Record<SlashName, readonly SettingChoice[]>>> = {
  effort: effortChoices,
  mode: modeChoices,
  approvals: approvalChoices,
  sandbox: sandboxChoices,
  theme: themeChoices,
  trust: [
    { key: 'yes', detail: 'trust the configuration that /trust has shown' },
    { key: 'no', detail: 'decline it' },
  ],
  compact: [{ key: 'undo', detail: 'give the model back what the last compaction took from its view' }],
  repair: [
    { key: 'half', detail: 'leave out the newest half, where the provider has named nothing' },
    { key: 'undo', detail: 'give the model back what the last one took from its view' },
  ],
  mcp: [{ key: 'restart', detail: 'start the tool server anew that is named next' }],
}

/** Returns the arguments of a command that begin with the letters typed so far. */
export function argumentsFor(text: string): readonly SettingChoice[] {
  const [, typed] = /^\/\w+ +(\S*)$/.exec(text) ?? []
  const command = parseSlash(text)
  if (typed === undefined || command?.kind !== 'command') return []
  const known = knownArguments[command.name] ?? []
  return known.filter(({ key }) => key.startsWith(typed.toLowerCase()))
}

/** Reads `ID` or `PROVIDER ID`; ids may contain slashes and colons, but no blanks. */
export function modelSettings(words: string): { model: string; modelProvider?: string } {
  const [first = '', second] = words.split(/\s+/)
  return second === undefined ? { model: first } : { modelProvider: first, model: second }
}
