import { followStorage, noteLostLog } from '../outside-changes.ts'
import { takenAwayWords } from '../people/held-role.ts'
import { type Intent, stepTo, type UiAction, type UiContext, type UiStep } from '../state/actions.ts'
import { addNote, changePart, type Outbox, type UiState } from '../state/ui-state.ts'

/** A server that ends again within this time is not started by itself: something is wrong with it. */
const soonMs = 60_000

type LinkAction = Extract<
  UiAction,
  { kind: 'linked' | 'lost' | 'hangs' | 'storage' | 'logLost' | 'counted' | 'takenAway' }
>

/** Follows the connection to the server, its disk, and the number of other clients. */
export function updateLink(ui: UiState, action: LinkAction, context: UiContext): UiStep {
  switch (action.kind) {
    case 'linked':
      return linked(ui, action)
    case 'lost':
      if (action.sought === undefined) return lost(ui, action, context)
      return stepTo(changePart(ui, 'connection', { link: { kind: 'starting', sought: action.sought }, hangs: false }))
    case 'storage':
      return stepTo(followStorage(ui, action.errno))
    case 'logLost':
      return stepTo(noteLostLog(ui, action))
    case 'hangs':
      return stepTo(changePart(ui, 'connection', { hangs: action.hangs && ui.connection.link.kind === 'up' }))
    case 'counted':
      return stepTo(changePart(ui, 'connection', { clientCount: action.clients }))
    case 'takenAway':
      return stepTo(takenAway(ui, context))
  }
}

/** Has the server started again, because the user asks for it. */
export function restart(ui: UiState): UiStep {
  return stepTo(changePart(ui, 'connection', { link: { kind: 'starting' }, hangs: false }), { kind: 'restart' })
}

/** Takes a connection. Sends the text that was written while the window looked for one of several servers. */
function linked(ui: UiState, { clientId, serverPid }: UiAction & { kind: 'linked' }): UiStep {
  const { link, ownClients } = ui.connection
  const wasSought = link.kind === 'starting' && link.sought !== undefined
  const up = { link: { kind: 'up', clientId, serverPid }, hangs: false, ownClients: [...ownClients, clientId] } as const
  return stepTo(changePart(ui, 'connection', up), ...(wasSought ? resendUnsent(ui.outbox) : []))
}

/** Closes the composer to sending, and says why once. Another conversation can be opened from here. */
function takenAway(ui: UiState, { state }: UiContext): UiState {
  const { opened, connection } = ui
  if (opened === null || opened.heldTo === 'none') return ui
  const clientId = connection.ownClients.at(-1)
  const isUp = connection.link.kind === 'up' || clientId === undefined
  const link = isUp ? connection.link : ({ kind: 'up', clientId, serverPid: null } as const)
  const held: UiState = {
    ...ui,
    connection: { ...connection, link },
    opened: { ...opened, heldTo: 'none' },
    work: { ...ui.work, stoppingTurn: null },
    answering: { ...ui.answering, answeredApproval: null },
  }
  return addNote(held, 'warning', takenAwayWords(opened.person, state))
}

/** Resends messages once a conversation is open; the server accepts the same id once. */
export function resendUnsent({ unsent }: Outbox): readonly Intent[] {
  return unsent.map((held) => ({ kind: 'send', message: held }))
}

/**
 * Drops what only the lost server could carry out, and has it started again: once by itself where that loses nothing,
 * by a key when it had ended within a minute before, or when the connection was given up.
 */
function lost(ui: UiState, { reason }: UiAction & { kind: 'lost' }, context: UiContext): UiStep {
  const { nowMs } = context
  const dropped: UiState = {
    ...ui,
    connection: {
      ...ui.connection,
      link: { kind: 'lost', ...(reason === undefined ? {} : { reason }) },
      hangs: false,
      lostAtMs: nowMs,
      clientCount: 1,
    },
    menu: null,
    outbox: { ...ui.outbox, lastSent: null },
    work: { ...ui.work, stoppingTurn: null, stoppingCommand: null },
    answering: { ...ui.answering, answeredApproval: null },
  }
  if (reason !== undefined || !restartsByItself(ui, context)) return stepTo(dropped)
  const told = addNote(dropped, 'warning', 'The server ended and is being started again.')
  return stepTo(changePart(told, 'connection', { link: { kind: 'starting' } }), { kind: 'restart' })
}

/** Returns false for a conversation that the server alone had, and for one that another process has to open first. */
function restartsByItself({ opened, connection }: UiState, { nowMs, state }: UiContext): boolean {
  const { lostAtMs } = connection
  if (opened === null || opened.onlyWatches) return false
  const isKept = !opened.ephemeral || state === null || state.core.seq === 0
  return isKept && (lostAtMs === null || nowMs - lostAtMs >= soonMs)
}
