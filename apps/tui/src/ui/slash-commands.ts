import { nearest } from './nearest.ts'

export interface SlashCommand {
  readonly name: string
  readonly argument: string
  readonly about: string
}

export const slashCommands = [
  { name: 'help', argument: '', about: 'commands and keys' },
  { name: 'model', argument: '[[provider] id]', about: 'the models there are, or use another' },
  { name: 'effort', argument: '[level]', about: 'how much the model thinks: low, medium, high …' },
  { name: 'approvals', argument: '[policy]', about: 'when to ask: untrusted, on-failure, on-request, never' },
  {
    name: 'sandbox',
    argument: '[mode]',
    about: 'what commands may write to: read-only, workspace-write, danger-full-access',
  },
  {
    name: 'why',
    argument: '[call]',
    about: 'why a call was run, asked about or denied: the last, how many back, or by its title',
  },
  { name: 'status', argument: '', about: 'this conversation and its server' },
  { name: 'name', argument: 'NAME', about: 'name this conversation; `parley resume NAME` finds it' },
  { name: 'fork', argument: '', about: 'go on in a copy of this conversation' },
  { name: 'resume', argument: '', about: 'open another conversation' },
  { name: 'new', argument: '', about: 'begin a new conversation' },
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

export type ParsedCommand =
  | { readonly kind: 'command'; readonly name: SlashName; readonly argument: string }
  | { readonly kind: 'unknown'; readonly word: string; readonly nearest: string | null }

/** The command that a text is; null if it is a message. A path at the beginning of a message is no command. */
export function parseSlash(text: string): ParsedCommand | null {
  const match = /^\/([^\s/]*)(?:\s+(.*))?$/s.exec(text)
  if (match === null) return null
  const [, word = '', argument = ''] = match
  const found = slashCommands.find(({ name }) => name === word.toLowerCase())
  if (found !== undefined) return { kind: 'command', name: found.name, argument: argument.trim() }
  return {
    kind: 'unknown',
    word,
    nearest: nearest(
      word,
      slashCommands.map(({ name }) => name),
    ),
  }
}

/** Commands that the text may become; empty once its first word is complete. */
export function completionsFor(text: string): readonly SlashCommand[] {
  const word = /^\/([a-z]*)$/i.exec(text)?.[1]?.toLowerCase()
  return word === undefined ? [] : slashCommands.filter(({ name }) => name.startsWith(word))
}
