import { closest } from '@parley/text'
import { approvalPolicies, efforts, sandboxModes } from './menu/setting-rows.ts'
import type { UiState } from './ui-state.ts'

interface SlashCommand {
  readonly name: string
  readonly argument: string
  readonly about: string
}

export const slashCommands = [
  { name: 'help', argument: '', about: 'the commands' },
  { name: 'keys', argument: '', about: 'the keys; also ? in an empty composer' },
  { name: 'model', argument: '[[provider] id]', about: 'the models there are, or use another' },
  { name: 'effort', argument: '[level]', about: `how much the model thinks: ${efforts.join(', ')}` },
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

/** Parses a slash command; null for a message, which may begin with a path. */
export function parseSlash(text: string): ParsedCommand | null {
  const match = /^\/([^\s/]*)(?:\s+(.*))?$/s.exec(text)
  if (match === null) return null
  const [, word = '', argument = ''] = match
  const found = slashCommands.find(({ name }) => name === word.toLowerCase())
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

/** Returns commands that begin with the text; empty once its first word is complete. */
export function completionsFor(text: string): readonly SlashCommand[] {
  const word = /^\/([a-z]*)$/i.exec(text)?.[1]?.toLowerCase()
  return word === undefined ? [] : slashCommands.filter(({ name }) => name.startsWith(word))
}

/** Returns the completions for the text in the composer. */
export function completionsOf({ composer, dismissed, purpose }: UiState): readonly SlashCommand[] {
  return purpose.kind === 'message' && composer.text !== dismissed ? completionsFor(composer.text) : []
}

export function chosenCompletion(ui: UiState): SlashCommand | null {
  const list = completionsOf(ui)
  return list[Math.min(ui.choice, list.length - 1)] ?? null
}
