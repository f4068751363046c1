import type { ShownMemory } from '@parley/presentation/commands/memory-words'
import { type Composer, emptyComposer } from '@parley/presentation/composer/composer'
import type { ConversationId, ListedConversation } from '@parley/protocol'
import { applyCommand, commandForKey } from '../composer/command.ts'
import type { KeyEvent } from '../keys/key-event.ts'
import { newPicker, type Picker, placeOf } from './picker.ts'

/** Subject of a menu, which decides what taking a row does. */
export type MenuKind =
  | 'messages'
  | 'rewind'
  | 'rewindChoice'
  | 'resume'
  | 'attach'
  | 'model'
  | 'effort'
  | 'mode'
  | 'approvals'
  | 'sandbox'
  | 'theme'
  | 'login'
  | 'logout'
  | 'background'
  | 'stopBackground'
  | 'typeInBackground'
  | 'remember'
  | 'forward'

export interface MenuRow {
  /** Word that taking the row hands on; unique in its menu. */
  readonly key: string
  readonly text: string
  /** Explanation beside the text. */
  readonly detail: string
  /** True for the present value. */
  readonly isCurrent: boolean
  /** True if the row cannot be taken; its detail says why. */
  readonly isDisabled: boolean
  /** Consequence of the choice, which a second Enter confirms; null where one Enter is enough. */
  readonly warning: string | null
  /** Conversation that the row stands for; null in other menus. */
  readonly listed: ListedConversation | null
}

/** All rows of a menu, and the filters that select the shown ones: typed text, folder and picker. */
export interface FilteredRows {
  /** All rows; null while loading. */
  readonly rows: readonly MenuRow[] | null
  readonly filter: Composer
  /** Folder to which Tab limits conversations; null where there is nothing to limit. */
  readonly folder: string | null
  readonly isFolderOnly: boolean
  /** State of a list of conversations that can be changed; null in other menus. */
  readonly picker: Picker | null
}

/** List to choose from, in place of the composer. */
export interface Menu extends FilteredRows {
  readonly kind: MenuKind
  readonly title: string
  /** Reason why there are no rows; null where they came. */
  readonly problem: string | null
  /** Index of the chosen row among the matching ones. */
  readonly choice: number
  /** Key of the row with a visible warning; null without a warning. */
  readonly confirming: string | null
  /** Time from which on Enter has its present meaning, in ms since the epoch. */
  readonly changedAtMs: number
  /** Newest lines of conversations that were chosen. */
  readonly previews: Readonly<Record<ConversationId, readonly string[]>>
  /** Conversation with lines on their way. */
  readonly previewing: ConversationId | null
  /** Line that is shown as it would be written; null in other menus. */
  readonly memory: ShownMemory | null
}

export const plainRow = { isCurrent: false, isDisabled: false, warning: null, listed: null } as const

interface NewMenu {
  readonly kind: MenuKind
  readonly title: string
  readonly rows: readonly MenuRow[] | null
  readonly folder?: string | null
  /** Text to search for at first. */
  readonly sought?: string
}

/** Returns a menu with its current row chosen. */
export function newMenu({ kind, title, rows, folder = null, sought = '' }: NewMenu, nowMs: number): Menu {
  return {
    kind,
    title,
    rows,
    problem: null,
    filter: { ...emptyComposer, text: sought, caret: sought.length },
    choice: currentIndex(rows ?? []),
    confirming: null,
    changedAtMs: nowMs,
    folder,
    isFolderOnly: false,
    previews: {},
    previewing: null,
    picker: kind === 'resume' ? newPicker : null,
    memory: null,
  }
}

/** Puts rows that were loaded into the menu. Chooses the current one, unless a filter was typed meanwhile. */
export function filledMenu(menu: Menu, rows: readonly MenuRow[], nowMs: number): Menu {
  const filled = { ...menu, rows, problem: null, changedAtMs: nowMs }
  const chosen = menu.rows === null ? undefined : matching(menu)[menu.choice]?.key
  const kept = matching(filled).findIndex(({ key }) => key === chosen)
  if (kept >= 0) return { ...filled, choice: kept, changedAtMs: menu.changedAtMs }
  return { ...filled, choice: menu.filter.text === '' ? currentIndex(rows) : 0 }
}

function currentIndex(rows: readonly MenuRow[]): number {
  return Math.max(
    0,
    rows.findIndex(({ isCurrent }) => isCurrent),
  )
}

/** Returns the rows that contain every word of the filter. */
export function matching({ rows, filter, folder, isFolderOnly, picker }: FilteredRows): readonly MenuRow[] {
  const { text: sought } = picker?.doing?.kind === 'rename' ? picker.doing.filter : filter
  const words = sought
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  return (rows ?? []).filter((row) => {
    if (isFolderOnly && row.listed?.cwd !== folder) return false
    if (placeOf(picker, row.listed?.conversationId, sought) !== null) return true
    const text = searchedText(row)
    return words.every((word) => text.includes(word))
  })
}

function searchedText({ text, detail, listed }: MenuRow): string {
  const more = listed === null ? '' : `${listed.title} ${listed.cwd} ${listed.shortId}`
  return `${text} ${detail} ${more}`.toLowerCase()
}

export function chosenRow(menu: Menu): MenuRow | null {
  return matching(menu)[menu.choice] ?? null
}

/** Rows that PgUp and PgDn move by. */
const pageRows = 10

/** Moves the choice, limits conversations to the folder, or edits the filter. */
export function moveOrFilter(menu: Menu, event: KeyEvent): Menu {
  const calm = calmed(menu)
  if (event.kind === 'key' && event.name === 'tab') return toggleFolder(calm)
  const isNaming = calm.picker?.doing?.kind === 'rename'
  const at = event.kind === 'key' && !isNaming ? moved(calm, event.name) : null
  if (at !== null) return { ...calm, choice: Math.max(0, Math.min(matching(calm).length - 1, at)) }
  const command = commandForKey(event)
  if (command === null) return calm
  const filter = applyCommand(calm.filter, command, { columns: 200, history: [] })
  return isNaming || filter.text === calm.filter.text ? { ...calm, filter } : { ...calm, filter, choice: 0 }
}

/** Returns the menu as no second key is waited for, as after any other one. */
function calmed(menu: Menu): Menu {
  const { confirming, picker } = menu
  if (confirming === null && picker?.doing?.kind !== 'delete') return menu
  return { ...menu, confirming: null, picker: picker?.doing?.kind === 'delete' ? { ...picker, doing: null } : picker }
}

/** Returns the index that the key moves to, which may be past either end; null for other keys. */
function moved(menu: Menu, key: string): number | null {
  switch (key) {
    case 'up':
      return menu.choice - 1
    case 'down':
      return menu.choice + 1
    case 'pageup':
      return menu.choice - pageRows
    case 'pagedown':
      return menu.choice + pageRows
    case 'home':
      return 0
    case 'end':
      return Number.MAX_SAFE_INTEGER
    default:
      return null
  }
}

function toggleFolder(menu: Menu): Menu {
  return menu.folder === null ? menu : { ...menu, isFolderOnly: !menu.isFolderOnly, choice: 0 }
}
