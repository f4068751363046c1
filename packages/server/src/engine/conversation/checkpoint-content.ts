import { type ConversationState, type Core, completedBy, type Envelope, reduce } from '@parley/protocol'
import type { ModelView } from '../../core/model-view.ts'
import type { Place } from '../../core/view-blocks.ts'
import type { ViewSnapshot } from '../../core/view-snapshot.ts'
import { type LandmarkPlaces, type Landmarks, rightTypes } from './landmarks.ts'

/** Content that a log folds to where no work is open, without what it allows: that is read from the log each time. */
export interface CheckpointContent extends LandmarkPlaces {
  readonly core: StoredCore
  readonly view: ViewSnapshot
  /** Version of the newest events. */
  readonly logVersion: number
}

type StoredCore = Omit<Core, 'settings' | 'turn' | 'open' | 'approvals' | 'meta'> & {
  readonly meta: Omit<Core['meta'], 'conversationId' | 'forkedFrom' | 'cwd'>
}

interface Folded {
  readonly state: ConversationState
  readonly view: ModelView
  readonly landmarks: Landmarks
  readonly logVersion: number
}

/** Returns the content of a checkpoint; null while a turn, an item or an approval is open. */
export function contentOf({ state, view, landmarks, logVersion }: Folded): string | null {
  const { settings: _settings, turn, open, approvals, meta, ...rest } = state.core
  if (turn !== null || Object.keys(open).length > 0 || Object.keys(approvals).length > 0) return null
  const { conversationId: _id, forkedFrom: _forkedFrom, cwd: _cwd, ...kept } = meta
  const content: CheckpointContent = {
    core: { ...rest, meta: kept },
    view: view.snapshot(),
    logVersion,
    ...landmarks.places(),
  }
  return JSON.stringify(content)
}

/** Reads a content. Its checksum was right, so that only the program could have written another form. */
export function parseContent(text: string): CheckpointContent | null {
  const value: unknown = JSON.parse(text)
  return isContent(value) ? value : null
}

function isContent(value: unknown): value is CheckpointContent {
  if (typeof value !== 'object' || value === null) return false
  return 'core' in value && 'view' in value && 'rights' in value && 'window' in value && 'logVersion' in value
}

/** Reads a line of the log as an event of this version; null where there is no good line. */
export type ReadEnvelope = (place: Place) => Envelope | null

/**
 * Returns the state of a checkpoint. Settings and folder are folded from the lines that say them, the window is read from
 * the log. Returns null where the log does not hold such a line.
 */
export function stateOf(
  { core, rights, window }: CheckpointContent,
  start: ConversationState,
  readEnvelope: ReadEnvelope,
): ConversationState | null {
  const said = rights.map(readEnvelope)
  const finished = window.map(readEnvelope)
  const allowed = said.reduce<ConversationState | null>(
    (state, envelope) =>
      state === null || envelope === null || !rightTypes.has(envelope.event.type) ? null : reduce(state, envelope),
    start,
  )
  if (allowed === null) return null
  const items = finished.flatMap((envelope) =>
    envelope?.event.type === 'item.completed' ? [completedBy(envelope.event, envelope)] : [],
  )
  if (items.length !== window.length) return null
  const { conversationId, forkedFrom } = start.core.meta
  const { settings, meta } = allowed.core
  const where = { conversationId, forkedFrom, cwd: meta.cwd }
  const nothingOpen = { turn: null, open: {}, approvals: {} }
  return { core: { ...core, ...nothingOpen, settings, meta: { ...core.meta, ...where } }, window: items }
}
