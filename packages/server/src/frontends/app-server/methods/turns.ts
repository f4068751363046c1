import type { InputItem, Overrides } from '@parley/protocol'
import { isRecord } from '@parley/text'
import type { AppSession, OpenThread } from '../session.ts'
import { turnOverrides } from '../shapes/settings.ts'
import { turnShape } from '../shapes/turn.ts'
import { codexError } from '../wire/codex-error.ts'
import { type CodexParams, codexParams } from '../wire/params.ts'
import { type AppMethod, method } from './method.ts'

/** Methods that start, steer and stop turns, and run what else a thread does. */
export const turnMethods: Readonly<Record<string, AppMethod>> = {
  'turn/start': method(codexParams.turnStart, async (session, params, context) => {
    const thread = await session.thread(params.threadId)
    const release = session.hold()
    try {
      const id = await startOrSteer(session, thread, params)
      context.afterReply(release)
      const fresh = { outcome: null, startedAtMs: null, endedAtMs: null, items: [], itemsView: 'notLoaded' } as const
      return { turn: turnShape({ id, ...fresh }) }
    } catch (error) {
      release()
      throw error
    }
  }),
  'turn/steer': method(codexParams.turnSteer, async (session, params) => {
    const { conversation } = await session.thread(params.threadId)
    const running = conversation.state.core.turn
    if (running === null) throw codexError('no active turn to steer')
    if (running.id !== params.expectedTurnId)
      throw codexError(`expected active turn id \`${params.expectedTurnId}\` but found \`${running.id}\``)
    const message = { input: inputOf(params.input), ...messageIdOf(params) }
    const { turnId } = await conversation.request('conversation/sendMessage', { ...message, when: 'steer' })
    return { turnId: turnId ?? running.id }
  }),
  'turn/interrupt': method(codexParams.turnInterrupt, async (session, { threadId, turnId }) => {
    const { conversation } = await session.thread(threadId)
    const running = conversation.state.core.turn
    if (running === null) throw codexError('no active turn to interrupt')
    if (turnId !== '' && turnId !== running.id)
      throw codexError(`expected active turn id \`${turnId}\` but found \`${running.id}\``)
    await conversation.interrupt(running.id)
    return {}
  }),
  'thread/compact/start': method(codexParams.ofThread, async (session, { threadId }) => {
    const { conversation } = await session.thread(threadId)
    await conversation.request('conversation/compact', {})
    return {}
  }),
  'thread/shellCommand': method(codexParams.shellCommand, async (session, { threadId, command }) => {
    if (!session.parts.limits.isUnlimited)
      throw codexError(
        'thread/shellCommand runs outside any sandbox, and this server was not started for that: parley app-server --max-sandbox danger-full-access',
      )
    const { conversation } = await session.thread(threadId)
    await conversation.request('conversation/runShell', { command })
    return {}
  }),
}

/** Starts a turn; a message during a running one goes into it. Returns the id of the turn. */
async function startOrSteer(
  session: AppSession,
  { conversation }: OpenThread,
  params: CodexParams<'turnStart'>,
): Promise<string> {
  const { core } = conversation.state
  const message = { input: inputOf(params.input), ...messageIdOf(params) }
  if (core.turn !== null) {
    const { turnId } = await conversation.request('conversation/sendMessage', { ...message, when: 'steer' })
    return turnId ?? core.turn.id
  }
  const overrides = turnOverrides(params, core.settings, core.meta.cwd)
  await session.parts.limits.assertOverrides(overrides satisfies Overrides, core.settings)
  const { turnId } = await conversation.request('conversation/sendMessage', {
    ...message,
    ...(Object.keys(overrides).length === 0 ? {} : { overrides }),
    ...(isRecord(params.outputSchema) ? { outputSchema: { ...params.outputSchema } } : {}),
  })
  if (turnId === null) throw codexError('the message was sent before')
  return turnId
}

function messageIdOf({ clientUserMessageId: id }: { readonly clientUserMessageId?: string | null | undefined }) {
  return id == null || id === '' ? {} : { messageId: id }
}

function inputOf(input: CodexParams<'turnStart'>['input']): InputItem[] {
  const items = input.map(inputItemOf)
  return items.length === 0 ? [{ type: 'text', text: '' }] : items
}

function inputItemOf(item: CodexParams<'turnStart'>['input'][number]): InputItem {
  switch (item.type) {
    case 'text':
      return { type: 'text', text: item.text }
    case 'image':
      if (!item.url.startsWith('data:')) throw codexError('input: an image is taken as a data: URL or as localImage')
      return { type: 'image', url: item.url }
    case 'localImage':
      return { type: 'image', path: item.path }
    case 'skill':
    case 'mention':
      return { type: 'text', text: `[${item.name}](${item.path})` }
  }
}
