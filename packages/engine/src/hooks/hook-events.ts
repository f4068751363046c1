import type { ConversationEvent, EventOf, HookRef, ItemOf } from '@parley/protocol'
import { asSentence } from '@parley/text'
import { noticeItem } from '../conversation/notices.ts'
import type { Ids } from '../ports/clock-and-ids.ts'
import type { RanHook } from './conversation-hooks.ts'

/** Subject of a run. */
export type HookAbout = Pick<EventOf<'hook.ran'>, 'turnId' | 'itemId' | 'messageId' | 'rewritten'>

/** Returns the events of a run: its own, and a notice where people should see of it. */
export function eventsOfRun(ran: RanHook, about: HookAbout, ids: Pick<Ids, 'item'>): ConversationEvent[] {
  const { hook, end, finding } = ran
  const { exitCode, durationMs } = end
  const { outcome, reason, context, said, endsTurn } = finding
  const event: EventOf<'hook.ran'> = {
    type: 'hook.ran',
    hook,
    ...about,
    outcome,
    ...(reason === undefined ? {} : { reason }),
    ...(endsTurn === undefined ? {} : { endsTurn }),
    ...(context === undefined ? {} : { context }),
    ...(said === undefined ? {} : { said }),
    ...(exitCode === null ? {} : { exitCode }),
    durationMs,
  }
  const turn = about.turnId === undefined ? {} : { turnId: about.turnId }
  const notices = noticesOf(ran).map((notice) => noticeItem(ids.item(), notice))
  return [event, ...notices.map((item): ConversationEvent => ({ type: 'item.completed', ...turn, item }))]
}

type Notice = Pick<ItemOf<'notice'>, 'level' | 'code' | 'title'> & { readonly text?: string }

function noticesOf({ hook, finding }: RanHook): readonly Notice[] {
  const { outcome, reason = '', context, message, endsTurn } = finding
  const name = hookTitle(hook)
  const notices: Notice[] = []
  if (outcome === 'failed')
    notices.push({
      level: 'warning',
      code: 'hookFailed',
      title: `${asSentence(`${name} failed: ${reason}`)} It stops nothing.`,
    })
  if (message !== undefined) notices.push({ level: 'info', code: 'hookMessage', title: `${name}: ${message}` })
  // Its reason is said with the end of the turn.
  const isSaid = endsTurn === true && context === reason
  if (context !== undefined && !isSaid) notices.push(contextNotice(name, context))
  return notices
}

/** Returns the notice of a hook's text for the model: one line in its title, more below it. */
function contextNotice(name: string, context: string): Notice {
  const text = context.trim()
  const told = { level: 'info' as const, code: 'hookContext' }
  return text.includes('\n')
    ? { ...told, title: `${name} told the model:`, text: context }
    : { ...told, title: `${name} told the model: ${text}` }
}

/** Returns how people read of a hook. */
function hookTitle({ name, on, source }: HookRef): string {
  return `The ${source === 'project' ? "project's " : ''}hook "${name}" (${on})`
}
