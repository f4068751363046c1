import {
  type ConversationCore,
  type ConversationState,
  completedBy,
  type Envelope,
  reduce,
  windowLimit,
} from '@parley/protocol'
import type { ModelView } from '../core/model-view.ts'
import type { LogOffset } from '../core/view/view-blocks.ts'
import type { ViewPart } from '../core/view/view-snapshot.ts'

/**
 * First part of a checkpoint, made while no work is open. It holds no rights: they are read from the log each time. The
 * parts of the view follow it.
 */
export interface CheckpointContent extends NamedPlaces {
  readonly core: StoredCore
  /** Version of the newest events. */
  readonly logVersion: number
}

type StoredCore = Omit<ConversationCore, 'settings' | 'turn' | 'open' | 'approvals' | 'meta'> & {
  readonly meta: Omit<ConversationCore['meta'], 'conversationId' | 'forkedFrom' | 'cwd'>
}

interface FoldedLog {
  readonly state: ConversationState
  readonly view: ModelView
  readonly checkpointPlaces: CheckpointPlaces
  readonly logVersion: number
}

/**
 * Returns the parts of a checkpoint as JSON, made as they are taken: nothing may be folded in between. Null while a turn,
 * an item or an approval is open.
 */
export function contentOf({ state, view, checkpointPlaces, logVersion }: FoldedLog): Iterable<string> | null {
  const { settings: _settings, turn, open, approvals, meta, ...rest } = state.core
  if (turn !== null || Object.keys(open).length > 0 || Object.keys(approvals).length > 0) return null
  const { conversationId: _id, forkedFrom: _forkedFrom, cwd: _cwd, ...kept } = meta
  return inJson({ core: { ...rest, meta: kept }, logVersion, ...checkpointPlaces.places() }, view)
}

function* inJson(content: CheckpointContent, view: ModelView): Generator<string, void, undefined> {
  yield JSON.stringify(content)
  for (const part of view.parts()) yield JSON.stringify(part)
}

/** Reads the first part. Its checksum was right, so that only the program could have written another form. */
export function parseContent(part: Buffer): CheckpointContent | null {
  const value: unknown = JSON.parse(part.toString())
  return isContent(value) ? value : null
}

export function parseViewPart(part: Buffer): ViewPart | null {
  const value: unknown = JSON.parse(part.toString())
  return isViewPart(value) ? value : null
}

function isViewPart(value: unknown): value is ViewPart {
  return typeof value === 'object' && value !== null && ('head' in value || 'blocks' in value || 'outputs' in value)
}

function isContent(value: unknown): value is CheckpointContent {
  if (typeof value !== 'object' || value === null) return false
  return 'core' in value && 'rights' in value && 'window' in value && 'logVersion' in value
}

/** Lines that a checkpoint names, as events of this version; null where there is no good line. */
export interface NamedLines {
  readonly rights: readonly (Envelope | null)[]
  readonly window: readonly (Envelope | null)[]
}

/**
 * Returns the state of a checkpoint. Settings and folder are folded from their lines, the window from the items of the
 * log. Returns null when the log does not hold such a line.
 */
export function stateOf(
  core: CheckpointContent['core'],
  start: ConversationState,
  { rights, window }: NamedLines,
): ConversationState | null {
  const allowed = rights.reduce<ConversationState | null>(
    (state, envelope) =>
      state === null || envelope === null || !rightTypes.has(envelope.event.type) ? null : reduce(state, envelope),
    start,
  )
  if (allowed === null) return null
  const items = window.flatMap((envelope) =>
    envelope?.event.type === 'item.completed' ? [completedBy(envelope.event, envelope)] : [],
  )
  if (items.length !== window.length) return null
  const { conversationId, forkedFrom } = start.core.meta
  const { settings, meta } = allowed.core
  const where = { conversationId, forkedFrom, cwd: meta.cwd }
  const nothingOpen = { turn: null, open: {}, approvals: {} }
  return { core: { ...core, ...nothingOpen, settings, meta: { ...core.meta, ...where } }, window: items }
}

/** Places of lines that a checkpoint refers to instead of holding their content. */
export interface CheckpointPlaces {
  note(type: string, place: LogOffset): void
  places(): NamedPlaces
}

interface NamedPlaces {
  /** All lines that set rights. A cache must not be able to allow more than the log. */
  readonly rights: readonly LogOffset[]
  /** Lines of the newest finished items. */
  readonly window: readonly LogOffset[]
}

/** Events that change the settings or the folder. No approval is open at a checkpoint. */
const rightTypes: ReadonlySet<string> = new Set([
  'conversation.created',
  'conversation.configured',
  'conversation.moved',
])

export function trackCheckpointPlaces(earlier: NamedPlaces = { rights: [], window: [] }): CheckpointPlaces {
  const rights = [...earlier.rights]
  const window = [...earlier.window]
  return {
    note(type, place) {
      if (rightTypes.has(type)) rights.push(place)
      if (type !== 'item.completed') return
      window.push(place)
      if (window.length > 2 * windowLimit) window.splice(0, window.length - windowLimit)
    },
    places: () => ({ rights: [...rights], window: window.slice(-windowLimit) }),
  }
}
