import type { Conversation, Parley } from '@parley/client'
import type { Notice } from '@parley/presentation/notices/notice'
import { isAsking } from '@parley/presentation/question/answers'
import { count, placedPath, shortPath } from '@parley/presentation/text/formats'
import { type ConversationState, type ConversationSummary, shortIdOf } from '@parley/protocol'
import { sandboxNotice } from '../cli/messages.ts'

/** Returns the notices above a conversation that is opened. `earlierItems`: number of its items that are not shown. */
export function greeting(
  { cwd, settings, instructionFiles, warnings, recovered, forkedFrom }: ConversationSummary,
  { version, homeFolder, earlierItems }: { version: string; homeFolder: string; earlierItems: number },
): readonly Notice[] {
  const facts = [
    placedPath(cwd, settings.environment, homeFolder),
    ...instructionFiles.map((path) => shortPath(path, homeFolder)).map((path) => path.split('/').slice(-2).join('/')),
    ...(forkedFrom === null ? [] : [`a copy of ${shortIdOf(forkedFrom.id)}`]),
  ]
  const earlier = `… ${count(earlierItems)} earlier (Ctrl+T)`
  return [
    { kind: 'greeting', program: `parley ${version}`, facts },
    ...warnings.map((text): Notice => ({ kind: 'note', level: 'warning', text })),
    ...(recovered === null ? [] : [{ kind: 'note', level: 'warning', text: recovered } as const]),
    ...(earlierItems <= 0 ? [] : [{ kind: 'note', level: 'info', text: earlier } as const]),
  ]
}

/** Returns the notice that the conversation goes on by another server, or that parts of it were recovered. */
export function reopeningNotice({ summary, attached }: Pick<Conversation, 'summary' | 'attached'>): Notice {
  const goesOn = attached ? 'Joined again.' : 'The conversation goes on here.'
  return { kind: 'note', level: 'info', text: summary.recovered ?? goesOn }
}

/** Notice to a window that only watches, while no process has its conversation open. */
export const notOpenNotice: Notice = {
  kind: 'note',
  level: 'info',
  text: 'No process has this conversation open yet, and this window only watches.',
}

/** Resolves to a warning if not all limits of the conversation are enforced. */
export async function enforcementNotices(
  parley: Parley,
  { summary, readOnly }: Pick<Conversation, 'summary' | 'readOnly'>,
): Promise<readonly Notice[]> {
  const text = await sandboxNotice(parley, { ...summary, readOnly })
  return text === null ? [] : [{ kind: 'note', level: 'warning', text }]
}

export interface Leaving {
  readonly shortId: string
  readonly state: ConversationState
  /** True if this window watched, or showed the saved conversation. */
  readonly readOnly: boolean
  readonly attached: boolean
  /** True after a detach: the server goes on without this window. */
  readonly detached: boolean
  readonly ephemeral: boolean
  /** True if other clients keep the conversation open. */
  readonly hasCompany: boolean
  /** True if the log was taken away: nothing can be resumed before it is back. */
  readonly isLogGone: boolean
  /** Addresses of the servers that were named; null for a server of this program. */
  readonly server: string | null
}

/** Returns the line that says how to come back; null if nothing is kept. */
export function farewell(leaving: Leaving): string | null {
  const { state, readOnly, attached, detached, ephemeral, hasCompany, server } = leaving
  const shortId = server === null ? leaving.shortId : `${leaving.shortId} --server ${server}`
  if (ephemeral || state.core.seq === 0) return null
  if (readOnly) return attached ? `To watch again: parley attach --read-only ${shortId}` : null
  if (leaving.isLogGone) return `Once its log is back: parley resume ${shortId}`
  const activity = activityOf(state)
  if (detached) return `${goingOn[activity]}To come back: parley attach ${shortId}`
  const hint = activity === 'runs' && !hasCompany ? ' (the turn that ran is stopped; /detach lets one go on)' : ''
  return `To go on: parley resume ${shortId}${hint}`
}

type Activity = 'runs' | 'asks' | 'rests'

const goingOn: Readonly<Record<Activity, string>> = {
  runs: 'It goes on without you. ',
  asks: 'Its question waits for you. ',
  rests: '',
}

function activityOf(state: ConversationState): Activity {
  const { turn } = state.core
  if (turn === null || turn.parked) return 'rests'
  return isAsking(state) ? 'asks' : 'runs'
}
