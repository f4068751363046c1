import { codeBlocksOf, copiedText } from '../../view/pager/copied-text.ts'
import { isFolded } from '../../view/pager/entry-rows.ts'
import { type PageRoom, pageAt, rowsAt } from '../../view/pager/page.ts'
import { chord } from '../composer/command.ts'
import type { KeyEvent } from '../keys/key-event.ts'
import { type PagerAction, pagerActionOf } from '../keys/pager-keys.ts'
import { fixed, goToEnd, goToStart, stepItem, stepPage } from './move-pager.ts'
import {
  type Folds,
  isItemOpened,
  itemAtCursor,
  type Pager,
  type PagerSize,
  pageOn,
  roomOf,
  withClosed,
  withOpened,
} from './pager.ts'
import { joined, type PagerStep, pagerStep, readGap } from './read-more.ts'
import { beginSearch, searchAgain, seekTurn } from './seek.ts'

/** Handles a key; several characters that come at once are keys one after the other. */
export function pressInPager(pager: Pager, event: KeyEvent, size: PagerSize): PagerStep {
  if (event.kind === 'key') return pressOne(pager, chord(event), size)
  if (event.kind !== 'text' && event.kind !== 'paste') return pagerStep(pager)
  if (pager.prompt?.kind === 'search') return typed(pager, pager.prompt.text + event.text.replace(/\s+/g, ' '))
  if (event.kind === 'paste') return pagerStep(pager)
  const press = (step: PagerStep, key: string) => joined(step, pressInPrompt(step.pager, key, size))
  return [...event.text].reduce(press, pagerStep(pager))
}

/** Presses a character, which may have to go to the text of a search that the one before began. */
function pressInPrompt(pager: Pager, key: string, size: PagerSize): PagerStep {
  return pager.prompt?.kind === 'search' ? typed(pager, pager.prompt.text + key) : pressOne(pager, key, size)
}

function typed(pager: Pager, text: string): PagerStep {
  return pagerStep({ ...pager, prompt: { kind: 'search', text } })
}

function pressOne(before: Pager, key: string, size: PagerSize): PagerStep {
  const pager: Pager = { ...before, note: null, problems: new Map() }
  if (pager.prompt?.kind === 'search') return pressInSearch(pager, pager.prompt.text, key, size)
  if (pager.prompt?.kind === 'blocks') return pressBlock(pager, pager.prompt.blocks, key)
  const action = pagerActionOf(key)
  if (pager.isHelpShown) return pagerStep({ ...pager, isHelpShown: false })
  if (pager.quest !== null && key === 'escape')
    return pagerStep({ ...pager, quest: null, note: 'The search was stopped.' })
  return action === null ? pagerStep(pager) : act({ ...pager, quest: null }, action, size)
}

function pressInSearch(pager: Pager, text: string, key: string, size: PagerSize): PagerStep {
  const closed = { ...pager, prompt: null }
  switch (key) {
    case 'enter':
      if (text !== '') return beginSearch(closed, text, size)
      return pager.query === '' ? pagerStep(closed) : searchAgain(closed, false, size)
    case 'backspace':
    case 'ctrl+h':
      return text === '' ? pagerStep(closed) : typed(pager, [...text].slice(0, -1).join(''))
    case 'ctrl+u':
      return typed(pager, '')
    case 'escape':
    case 'ctrl+c':
      return pagerStep(closed)
    default:
      return pagerStep(pager)
  }
}

type Blocks = ReturnType<typeof codeBlocksOf>

function pressBlock(pager: Pager, blocks: Blocks, key: string): PagerStep {
  const closed = { ...pager, prompt: null }
  const block = blocks[Number(key) - 1]
  return block === undefined || !/^[1-9]$/.test(key) ? pagerStep(closed) : copyBlock(closed, block)
}

function act(pager: Pager, action: PagerAction, size: PagerSize): PagerStep {
  const room = roomOf(pager, size)
  switch (action) {
    case 'down':
    case 'up':
      return pagerStep(stepItem(pager, room, action))
    case 'pageDown':
    case 'pageUp':
      return pagerStep(stepPage(pager, room, action === 'pageUp' ? 'up' : 'down'))
    case 'start':
      return toBeginning(pager, room)
    case 'end':
      return pagerStep(goToEnd(pager))
    case 'previousTurn':
    case 'nextTurn':
      return seekTurn(pager, action === 'nextTurn' ? 'down' : 'up', size)
    case 'open':
      return pagerStep(toggled(pager, room, size))
    case 'openAll':
    case 'reasoning':
      return pagerStep(refolded(pager, room, action))
    case 'search':
      return typed(pager, '')
    case 'again':
    case 'back':
      return searchAgain(pager, action === 'back', size)
    case 'copy':
    case 'copyCode':
      return copy(pager, room, action)
    case 'help':
      return pagerStep({ ...pager, isHelpShown: true })
    case 'suspend':
    case 'leave':
      return pagerStep(pager, { kind: action })
  }
}

/** Goes to the first row, and reads the items there if they are not in memory. */
function toBeginning(pager: Pager, room: PageRoom): PagerStep {
  const [first] = room.entries
  const moved = goToStart(pager, room)
  return first?.kind === 'gap' ? readGap(moved, first, 'upper') : pagerStep(moved)
}

/** Opens or folds the item at the cursor. An opened one that does not fit below begins at the upper end. */
function toggled(pager: Pager, room: PageRoom, size: PagerSize): Pager {
  const item = itemAtCursor(room, pager)
  if (item === null) return pager
  return isItemOpened(pager.folds, item) ? folded(pager, room, item.id) : openItem(pager, item.id, size)
}

function openItem(pager: Pager, id: string, size: PagerSize): Pager {
  const still = fixed(pager, roomOf(pager, size))
  const opened: Pager = { ...still, cursor: id, folds: withOpened(pager.folds, id) }
  const room = roomOf(opened, size)
  const page = pageOn(room, opened)
  const index = room.entries.findIndex((entry) => entry.id === id)
  const isWhole = page.rows.filter((row) => row.index === index).length === rowsAt(room, index).length
  const hasFile = room.entries[index + 1]?.kind === 'chunk'
  return isWhole && !hasFile ? opened : { ...opened, top: { id, row: 0 } }
}

function folded(pager: Pager, room: PageRoom, id: string): Pager {
  const still = fixed(pager, room)
  const isHeadOn = pageOn(room, still).rows.some(({ index, row }) => row === 0 && room.entries[index]?.id === id)
  const top = isHeadOn ? still.top : { id, row: 0 }
  return { ...still, cursor: id, top, folds: withClosed(pager.folds, id) }
}

/** Opens or folds many items; the item at the cursor stays on the screen. */
function refolded(pager: Pager, room: PageRoom, action: 'openAll' | 'reasoning'): Pager {
  const { all, reasoning } = pager.folds
  const rule: Pick<Folds, 'all' | 'reasoning'> =
    action === 'openAll' ? { all: !all, reasoning: !all } : { all, reasoning: !reasoning }
  const note =
    action === 'reasoning' ? `Reasoning is ${reasoning ? 'folded' : 'shown'}.` : all ? 'All is folded.' : 'All is open.'
  const next: Pager = { ...pager, note, folds: { ...rule, opened: new Set(), closed: new Set() } }
  const cursor = itemAtCursor(room, pager)?.id
  return pager.top === null || cursor === undefined ? next : { ...next, cursor, top: { id: cursor, row: 0 } }
}

function copy(pager: Pager, room: PageRoom, action: 'copy' | 'copyCode'): PagerStep {
  const item = itemAtCursor(room, pager)
  if (item === null) return pagerStep(pager)
  if (action === 'copy') return pagerStep(pager, { kind: 'copy', text: copiedText(item), what: 'the item' })
  const blocks = codeBlocksOf(item)
  const [block] = blocks
  if (block === undefined) return pagerStep({ ...pager, note: 'There is no code in this item.' })
  return blocks.length === 1 ? copyBlock(pager, block) : pagerStep({ ...pager, prompt: { kind: 'blocks', blocks } })
}

function copyBlock(pager: Pager, { text, label }: Blocks[number]): PagerStep {
  return pagerStep(pager, { kind: 'copy', text, what: `the code (${label})` })
}

/** Returns the view with the last folded item of the transcript opened; unchanged without a folded item. */
export function openLastFolded(pager: Pager, size: PagerSize): Pager {
  const room = roomOf(pager, size)
  const entry = room.entries.findLast((one) => one.kind === 'item' && isFolded(one.item, room))
  if (entry === undefined) return { ...pager, note: 'Nothing is folded.' }
  const opened = openItem(pager, entry.id, size)
  const page = pageAt(roomOf(opened, size), { id: entry.id, row: 0 })
  return page.isAtEnd ? opened : { ...opened, top: { id: entry.id, row: 0 } }
}
