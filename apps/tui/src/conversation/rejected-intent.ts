import type { Conversation } from '@parley/client'
import {
  type ConversationId,
  type ConversationState,
  isUnasked,
  type ServerNotice,
  type SettingsPatch,
} from '@parley/protocol'
import type { RpcError } from '@parley/rpc'
import { commandToWiden } from '../ui/menu/wider-limits.ts'
import { isDiskFull, isLostLog } from '../ui/outside-changes.ts'
import type { Intent, LendingIntent, ReadingIntent, UiAction } from '../ui/state/actions.ts'
import type { OpeningIntent } from './open-conversation.ts'

/** Intent that requests to the server carry out, without another conversation on the screen. */
export type RequestIntent = Exclude<
  Intent,
  | OpeningIntent
  | ReadingIntent
  | LendingIntent
  | { kind: 'restart' | 'clear' | 'detach' | 'leave' | 'listFiles' | 'recallAll' | 'findImages' }
>

type Rejected = Pick<Conversation, 'id' | 'state'> | null

/** Returns the screen's actions after a rejected intent: they return the user's text, and ignore a lost race. */
export function actionsAfterRejection(
  intent: RequestIntent,
  error: RpcError,
  conversation: Rejected,
): readonly UiAction[] {
  const code = error.data?.code
  switch (intent.kind) {
    case 'configure':
      if (code !== 'aboveCeiling' || conversation === null) return [rejectionAction(error)]
      return [note('error', howToRaise(intent.settings, conversation.state))]
    case 'models':
      return [{ kind: 'menuFilled', menu: 'model', rows: [], problem: error.message }]
    case 'keepTheme':
      return [note('warning', `Colours: ${intent.theme}, for this run. ${error.message}`)]
    case 'logins':
      return [{ kind: 'menuFilled', menu: intent.menu, rows: [], problem: error.message }]
    case 'listParts':
      return [{ kind: 'partsListed', parts: [] }]
    case 'searchTexts':
      return [{ kind: 'textsFound', query: intent.query, found: [] }]
    case 'preview':
      return [{ kind: 'previewed', conversationId: intent.conversationId, lines: [] }]
    case 'send':
      return [{ kind: 'notTaken', message: intent.message }, rejectionAction(error)]
    case 'decide':
      return actionsAfterRejectedAnswer(intent, error)
    case 'shell':
      return [{ kind: 'tookBack', text: `!${intent.command}` }, rejectionAction(error)]
    case 'editQueued':
      return [{ kind: 'tookBack', text: intent.text }, note('warning', error.message)]
    case 'takeBack':
    case 'interrupt':
    case 'stopShell':
      return code === 'messageNotQueued' || code === 'turnMismatch' ? [] : [rejectionAction(error)]
    default:
      return [rejectionAction(error)]
  }
}

function actionsAfterRejectedAnswer(
  { approvalId, answers, note: words }: Extract<RequestIntent, { kind: 'decide' }>,
  { message, data }: RpcError,
): readonly UiAction[] {
  const field = /^answers\.(.+)$/s.exec(String(data?.['field']))?.[1]
  if (answers !== undefined && field !== undefined)
    return [{ kind: 'formRejected', approvalId, answers, field, problem: message }]
  // The event of another window's answer is shown by itself.
  const isShown = data?.code === 'approvalNotPending' && data['decidedBy'] !== undefined
  return [
    { kind: 'answerRejected', approvalId },
    ...(words === undefined ? [] : [{ kind: 'tookBack', text: words } as const]),
    ...(isShown ? [] : [note('warning', message)]),
  ]
}

/** Returns how to start this program with the settings that its server rejected as above the ceiling. */
function howToRaise(settings: SettingsPatch, { core }: Pick<ConversationState, 'core'>): string {
  const { sandbox, approvalPolicy } = { ...core.settings, ...settings }
  const what = isUnasked({ sandbox, approvalPolicy }) ? `${sandbox} with nobody asked` : sandbox
  return `This session was not started for ${what}. Leave, then: ${commandToWiden({ sandbox, approvalPolicy }, core)}`
}

/** Returns the action that shows a rejection. A lost log rejects everything from then on, and is shown once. */
export function rejectionAction({ message, data }: RpcError): UiAction {
  const errno = data?.['errno']
  return isLostLog(errno) ? { kind: 'logLost', log: { errno, text: message }, isAnswer: true } : note('error', message)
}

/** Returns what shows a notice that the server sent by itself, in a window with the conversation `shown`. */
export function noticeActions(notice: ShownNotice, shown?: ConversationId): readonly UiAction[] {
  const { level, code, message, errno, passing, conversationId } = notice
  if (isLostLog(errno)) return [{ kind: 'logLost', log: { errno, text: message }, isAnswer: false }]
  const isOurs = conversationId === undefined || conversationId === shown
  // For another conversation than that on the screen there is nothing to say.
  if (code === 'accessEnded') return isOurs ? [{ kind: 'takenAway' }] : []
  if (code === 'storageRestored') return isOurs ? [{ kind: 'storage', errno: null }] : []
  const said = note(level, isDiskFull(errno) ? `${message} Make room: it goes on by itself then.` : message)
  return errno !== undefined && passing === true && isOurs ? [said, { kind: 'storage', errno }] : [said]
}

/** Tells if another server of the store has the conversation on the screen now. */
export function isTakenFrom({ errno, conversationId }: ShownNotice, shown: ConversationId | undefined): boolean {
  return errno === 'STORE_TAKEN' && conversationId !== undefined && conversationId === shown
}

export type ShownNotice = Pick<ServerNotice, 'level' | 'message'> & Partial<ServerNotice>

export function note(level: 'info' | 'warning' | 'error', text: string): UiAction {
  return { kind: 'notice', notice: { kind: 'note', level, text } }
}
