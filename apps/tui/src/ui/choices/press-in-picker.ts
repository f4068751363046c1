import { type Composer, emptyComposer } from '@parley/presentation/composer/composer'
import type { ListedConversation } from '@parley/protocol'
import { conversationRows } from '../menu/loaded-rows.ts'
import { chosenRow, filledMenu, type Menu, type MenuRow, matching, newMenu } from '../menu/menu.ts'
import { type ListedChange, newPicker, type Picker, type PickerChange, wordsToSeek } from '../menu/picker.ts'
import { type Intent, stepTo, type UiAction, type UiContext, type UiStep } from '../state/actions.ts'
import { addNote, type UiState } from '../state/ui-state.ts'

/** Opens the list of conversations, which the server is asked for. */
export function openConversationMenu(
  ui: UiState,
  { liveOnly, folder }: { readonly liveOnly: boolean; readonly folder: string | null },
  nowMs: number,
): UiStep {
  const title = liveOnly ? 'Attach to a conversation' : 'Resume a conversation'
  const menu = newMenu({ kind: liveOnly ? 'attach' : 'resume', title, rows: null, folder }, nowMs)
  return stepTo({ ...ui, menu }, { kind: 'list', archived: false })
}

/** Fills the list of conversations: first with others of the folder, or with all if there are no others. */
export function fillConversations(
  ui: UiState,
  { conversations, archived }: Extract<UiAction, { kind: 'listed' }>,
  { nowMs }: UiContext,
): UiStep {
  const { menu, opened } = ui
  if (menu === null || (menu.kind !== 'resume' && menu.kind !== 'attach')) return stepTo(ui)
  if ((menu.picker?.isArchived ?? false) !== archived) return stepTo(ui)
  const openId = opened?.conversationId ?? null
  const rows = rowsOf(conversations, ui, menu)
  const isFirst = menu.rows === null
  const isFolderOnly =
    menu.folder !== null && rows.some(({ key, listed: row }) => row?.cwd === menu.folder && key !== openId)
  if (isFirst && !archived) return withPicker(ui, { ...filledMenu({ ...menu, isFolderOnly }, rows, nowMs), choice: 0 })
  const filled = filledMenu(menu, rows, nowMs)
  return withPicker(ui, isFirst ? { ...filled, choice: 0 } : keptChoice(menu, filled))
}

function rowsOf(
  conversations: readonly ListedConversation[],
  { connection: { link }, opened }: UiState,
  { kind }: Menu,
) {
  return conversationRows(conversations, {
    ownPid: link.kind === 'up' ? link.serverPid : null,
    liveOnly: kind === 'attach',
    openId: opened?.conversationId ?? null,
  })
}

/** Keeps the chosen conversation, or the place in the list of one that is gone. */
function keptChoice(before: Menu, after: Menu): Menu {
  const found = matching(after)
  const at = found.findIndex(({ key }) => key === chosenRow(before)?.key)
  return { ...after, choice: at >= 0 ? at : Math.max(0, Math.min(before.choice, found.length - 1)) }
}

/** Keeps the newest lines of a conversation, and asks for the lines of the chosen one. */
export function keepPreview(ui: UiState, { conversationId, lines }: Extract<UiAction, { kind: 'previewed' }>): UiStep {
  const { menu } = ui
  if (menu === null) return stepTo(ui)
  return withPicker(ui, { ...menu, previewing: null, previews: { ...menu.previews, [conversationId]: lines } })
}

/** Adds conversations with the words of the filter in their texts to the list. */
export function keepFound(ui: UiState, { query, found }: Extract<UiAction, { kind: 'textsFound' }>): UiStep {
  const { menu } = ui
  if (menu === null || menu.picker === null || menu.rows === null) return stepTo(ui)
  const { rows } = menu
  const known = new Set(rows.map(({ key }) => key))
  const added = found.flatMap(({ listed }) => (known.has(listed.conversationId) ? [] : [listed]))
  const places = Object.fromEntries(found.map(({ listed, place }) => [listed.conversationId, place]))
  const picker = { ...menu.picker, seeking: null, found: { query, places } }
  const filled = { ...menu, picker, rows: [...rows, ...rowsOf(added, ui, menu)] }
  return withPicker(ui, menu.choice === 0 ? filled : keptChoice(menu, filled))
}

/** Asks for the lines of the chosen conversation and for the words of the filter: one of each at a time. */
export function withPicker(ui: UiState, menu: Menu): UiStep {
  const listed = chosenRow(menu)?.listed ?? null
  const { picker } = menu
  if (picker === null) return stepTo({ ...ui, menu })
  const intents: Intent[] = []
  let next = menu
  if (listed !== null && menu.previewing === null && menu.previews[listed.conversationId] === undefined) {
    intents.push({ kind: 'preview', conversationId: listed.conversationId })
    next = { ...next, previewing: listed.conversationId }
  }
  const query = menu.rows === null ? null : wordsToSeek(picker, filterOf(menu).text)
  if (query !== null) {
    intents.push({ kind: 'searchTexts', query, archived: picker.isArchived })
    next = { ...next, picker: { ...picker, seeking: query } }
  }
  return stepTo({ ...ui, menu: next }, ...intents)
}

/** Returns the filter, also while a name is written in its place. */
function filterOf({ filter, picker }: Menu): Composer {
  return picker?.doing?.kind === 'rename' ? picker.doing.filter : filter
}

/** Goes on with Tab: conversations of the folder, of all folders, archived ones. */
export function nextView(ui: UiState, menu: Menu, picker: Picker): UiStep {
  const { isArchived } = picker
  if (!isArchived && menu.isFolderOnly) return withPicker(ui, { ...menu, isFolderOnly: false, choice: 0 })
  const next = { ...menu, rows: null, choice: 0, isFolderOnly: false }
  return stepTo(
    { ...ui, menu: { ...next, picker: { ...newPicker, isArchived: !isArchived } } },
    { kind: 'list', archived: !isArchived },
  )
}

/** Begins to write the name of the chosen conversation; null where a name is being written. */
export function beginRename(ui: UiState): UiStep | null {
  return withChosen(ui, ({ menu, picker, row }) => {
    const text = row.listed?.name ?? row.listed?.title ?? ''
    const filter = { ...emptyComposer, text, caret: text.length }
    return stepTo({ ...ui, menu: { ...menu, filter, picker: doing(picker, { kind: 'rename', filter: menu.filter }) } })
  })
}

/** Asks if the chosen conversation is to be deleted; null where the key deletes a letter of the filter. */
export function beginDelete(ui: UiState, nowMs: number): UiStep | null {
  return withChosen(ui, ({ menu, picker, row }) => {
    if (menu.filter.caret < menu.filter.text.length) return null
    if (row.isCurrent) return stepTo(addNote(ui, 'info', 'This conversation is open here, so it cannot be deleted.'))
    return stepTo({ ...ui, menu: { ...menu, changedAtMs: nowMs, picker: doing(picker, { kind: 'delete' }) } })
  })
}

/** Archives the chosen conversation, or puts an archived one back. */
export function archiveChosen(ui: UiState): UiStep | null {
  return withChosen(ui, ({ picker, row }) =>
    stepTo(ui, changeOf(row, picker, { kind: picker.isArchived ? 'unarchive' : 'archive' })),
  )
}

interface Chosen {
  readonly menu: Menu
  readonly picker: Picker
  readonly row: MenuRow
}

function withChosen(ui: UiState, act: (chosen: Chosen) => UiStep | null): UiStep | null {
  const { menu } = ui
  if (menu === null || menu.picker === null || menu.picker.doing?.kind === 'rename') return null
  const row = chosenRow(menu)
  return row === null ? stepTo(ui) : act({ menu, picker: menu.picker, row })
}

function doing(picker: Picker, change: PickerChange): Picker {
  return { ...picker, doing: change }
}

function changeOf({ key }: MenuRow, { isArchived }: Picker, change: ListedChange): Intent {
  return { kind: 'changeListed', conversationId: key, change, archived: isArchived }
}

/** Makes the pending change; null without one. */
export function finishChange(ui: UiState, menu: Menu): UiStep | null {
  const row = chosenRow(menu)
  const { picker } = menu
  if (picker === null || picker.doing === null || row === null) return null
  const name = menu.filter.text.trim()
  const { ui: next } = leaveChange(ui, menu, picker)
  if (picker.doing.kind === 'delete') return stepTo(next, changeOf(row, picker, { kind: 'delete' }))
  return name === '' ? stepTo(next) : stepTo(next, changeOf(row, picker, { kind: 'rename', name }))
}

/** Leaves the change that was begun, with the filter as it was. */
export function leaveChange(ui: UiState, menu: Menu, picker: Picker): UiStep {
  return stepTo({ ...ui, menu: { ...menu, filter: filterOf(menu), picker: { ...picker, doing: null } } })
}
