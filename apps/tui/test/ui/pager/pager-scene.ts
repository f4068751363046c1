import { type Line, lineText } from '@parley/presentation/text/span'
import type { CompletedItem, ConversationState, Item } from '@parley/protocol'
import { keyPress } from '../../../src/ui/keys/key-event.ts'
import { type ChunkRun, chunkRange, cutChunks } from '../../../src/ui/pager/file-chunks.ts'
import type { PageRequest } from '../../../src/ui/pager/history.ts'
import { itemAtCursor, openPager, type Pager, type PagerSize, roomOf } from '../../../src/ui/pager/pager.ts'
import type { PagerEffect } from '../../../src/ui/pager/read-more.ts'
import { updatePager } from '../../../src/ui/pager/update-pager.ts'
import { pagerScreen } from '../../../src/view/pager-screen.ts'
import { after } from '../../view/scenes/conversation.ts'

export interface World {
  readonly pager: Pager
  readonly size: PagerSize
  readonly log: readonly CompletedItem[]
  /** Content of side files. */
  readonly files: Readonly<Record<string, Buffer>>
  readonly done: readonly PagerEffect[]
}

export const small: PagerSize = { columns: 60, rows: 12 }

/** A conversation of these items, of which the client has the newest `held`. */
export function stateOf(items: readonly Item[], held = 200): ConversationState {
  const state = after()
  const log = logOf(items)
  const counts = { turns: 1, items: items.length }
  return { core: { ...state.core, seq: items.length * 3 + 1, counts }, window: held === 0 ? [] : log.slice(-held) }
}

/** Items as the log has them: every third event completes one. */
export function logOf(items: readonly Item[]): readonly CompletedItem[] {
  return items.map((item, index) => ({ seq: 3 * (index + 1), at: 0, turnId: 't1', item }))
}

export function worldOf(
  items: readonly Item[],
  options: Partial<Pick<World, 'size' | 'files'>> & { held?: number } = {},
) {
  const { held = 200, size = small, files = {} } = options
  const state = stateOf(items, held)
  return settled({ pager: openPager(state), size, log: logOf(items), files, done: [] }, { kind: 'followed', state })
}

/** Presses keys by name, or types characters; everything that has to be read is read at once. */
export function press(world: World, ...keys: readonly string[]): World {
  return keys.reduce((before, key) => settled(before, { kind: 'key', event: eventOf(key) }), world)
}

/** Handles an event and everything that follows from it, as the server would. */
export function settled(world: World, event: Parameters<typeof updatePager>[1]): World {
  const { pager, effects } = updatePager(world.pager, event, world.size)
  return effects.reduce(carryOut, { ...world, pager })
}

function carryOut(world: World, effect: PagerEffect): World {
  const done = { ...world, done: [...world.done, effect] }
  if (effect.kind === 'readItems')
    return settled(done, { kind: 'itemsRead', request: effect.request, ...readPage(world.log, effect.request) })
  if (effect.kind !== 'readChunk') return done
  const { file, run, id } = effect
  return settled(done, {
    kind: 'chunkRead',
    id,
    file,
    first: run.first,
    ...chunk(world.files[file] ?? Buffer.alloc(0), run),
  })
}

/** Answers `conversation/read` as the server does. */
export function readPage(log: readonly CompletedItem[], { before, limit }: PageRequest) {
  const older = log.filter(({ seq }) => seq < before)
  return { items: older.slice(-limit), more: older.length > limit }
}

function chunk(bytes: Buffer, run: ChunkRun) {
  const { offset, limit } = chunkRange(run)
  const texts = cutChunks(bytes.subarray(offset, offset + limit), run).map((part) => Buffer.from(part).toString())
  return { texts, totalBytes: bytes.length }
}

const named = /^(?:enter|escape|up|down|pageup|pagedown|home|end|backspace|(?:ctrl|shift)\+.)$/

function eventOf(key: string) {
  if (!named.test(key)) return { kind: 'text', text: key } as const
  return key.startsWith('ctrl+') ? keyPress(key.slice(5), { ctrl: true }) : keyPress(key)
}

/** The screen as text. */
export function screenOf({ pager, size }: World): string {
  return pagerText(pagerScreen(pager, size, { isAsked: false, isLost: false }))
}

/** The rows as text. */
export function pagerText(rows: readonly Line[]): string {
  return rows.map((row) => lineText(row).trimEnd()).join('\n')
}

/** The id of the item at the cursor. */
export function cursorOf({ pager, size }: World): string | undefined {
  return itemAtCursor(roomOf(pager, size), pager)?.id
}
