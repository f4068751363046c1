import {
  commandRows,
  hereInstead,
  type ParsedCommand,
  type SlashName,
  slashCommands,
} from '@parley/presentation/commands/slash-commands'
import type { Notice } from '@parley/presentation/notices/notice'
import type { Plan } from '@parley/protocol'
import { type KeyGroup, keyGroups, usualKeyGroups } from './keys/key-words.ts'
import type { OpenedWindow } from './link/link.ts'
import { heldWords } from './people/held-role.ts'
import { addNote, addNotice, type UiState } from './state/ui-state.ts'

interface Setting {
  readonly what: string
  readonly argument: string
  readonly current: string | undefined
  readonly choices: readonly string[]
}

/** Adds a warning that the argument is not a choice. */
export function noteNoChoice(ui: UiState, { what, argument, current, choices }: Setting): UiState {
  const now = `${what}: ${current ?? 'not known yet'}`
  return addNote(
    ui,
    'warning',
    `"${argument}" is not a choice, nothing changed. ${now}. Choices: ${choices.join(', ')}.`,
  )
}

/** Adds the plan as it is, or says that there is no plan. */
export function addPlan(ui: UiState, plan: Plan | null): UiState {
  return plan === null
    ? addNote(
        ui,
        'info',
        'There is no plan: the model makes one for work of several steps. /mode plan has it plan first.',
      )
    : addNotice(ui, { kind: 'plan', plan })
}

/** Adds a notice of how to write a command with its argument. */
export function noteMissing(ui: UiState, name: SlashName): UiState {
  const command = slashCommands.find((known) => known.name === name)
  return noteArgument(ui, { text: `/${name}`, argument: command?.argument ?? '', about: command?.about ?? '' })
}

/** Says which argument a command wants. */
export function noteArgument(
  ui: UiState,
  { text, argument, about }: { readonly text: string; readonly argument: string; readonly about: string },
): UiState {
  return addNote(ui, 'info', `${text} ${argument}: ${about.replace(/\.$/, '')}.`)
}

/** Adds a warning about a name that no command has, with the nearest one. */
export function noteUnknown(ui: UiState, { word, nearest }: ParsedCommand & { kind: 'unknown' }): UiState {
  if (word === '') return addNote(ui, 'warning', 'The name of a command follows / without a blank: see /help')
  const unusable = ui.lists.parts?.find(({ name, problem }) => name === word && problem !== undefined)
  if (unusable !== undefined) return addNote(ui, 'warning', `/${word} cannot be used: ${unusable.problem}`)
  const hint = hereInstead(word) ?? (nearest === null ? 'see /help' : `did you mean /${nearest}?`)
  return addNote(ui, 'warning', `There is no command /${word}: ${hint}`)
}

export const commandHelp: Notice = {
  kind: 'table',
  title: 'Commands',
  rows: commandRows(),
}

/** Adds all keys, a table for each state. */
export function addAllKeys(ui: UiState): UiState {
  return keyGroups().reduce(addKeyTable, ui)
}

function addKeyTable(ui: UiState, { title, rows }: KeyGroup): UiState {
  return addNotice(ui, { kind: 'table', title, rows })
}

/** Adds the keys of the composer, and where the others are. */
export function addUsualKeys(ui: UiState): UiState {
  return addNote(usualKeyGroups().reduce(addKeyTable, ui), 'info', '/keys lists all of them, /help the commands.')
}

/** Adds a notice why nothing can be sent here, and what to do instead. */
export function noteReadOnly(ui: UiState): UiState {
  return addNote(ui, 'warning', `${readOnlyWords(ui.opened)}.`)
}

function readOnlyWords(opened: OpenedWindow | null): string {
  if (opened?.readOnly !== true && opened?.heldTo !== undefined) return heldWords(opened.heldTo, opened.person).whole
  return opened?.onlyWatches === true
    ? 'This window only watches (--read-only): `parley attach` without it takes part'
    : 'This is a read-only view: /fork goes on from here in a copy'
}
