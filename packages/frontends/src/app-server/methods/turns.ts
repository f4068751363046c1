import { type Conversation, codeOf } from '@parley/client'
import { type InputItem, type Overrides, type ReviewTarget, reviewRequest, type TurnPurpose } from '@parley/protocol'
import type { CallContext } from '@parley/rpc'
import { isRecord } from '@parley/text'
import { threadSettings, turnOverrides } from '../shapes/settings.ts'
import { runningTurnShape, turnError, turnShape } from '../shapes/turn.ts'
import type { AppSession, OpenThread } from '../threads/session.ts'
import { codexError } from '../wire/codex-error.ts'
import { type CodexParams, codexParams } from '../wire/params.ts'
import { type AppMethod, method } from './method.ts'

/** Methods that start, steer and stop turns, and run what else a thread does. */
export const turnMethods: Readonly<Record<string, AppMethod>> = {
  'turn/start': method(codexParams.turnStart, startTurn),
  'thread/settings/update': method(codexParams.settingsUpdate, updateSettings),
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
    // Without a turn's id it means whatever runs, the user's commands included, and is never wrong.
    if (turnId === '') {
      await conversation.request('conversation/interrupt', {})
      return {}
    }
    if (running === null) throw codexError('no active turn to interrupt')
    if (turnId !== running.id) throw codexError(`expected active turn id ${turnId} but found ${running.id}`)
    await conversation.interrupt(running.id)
    return {}
  }),
  'thread/compact/start': method(codexParams.ofThread, async (session, { threadId }, context) => {
    const { conversation } = await session.thread(threadId)
    await conversation.request('conversation/compact', {}).catch((error: unknown) => {
      if (codeOf(error) === null || !(error instanceof Error)) throw error
      const { message } = error
      // Codex's terminal ends itself at an error here, and waits for the end of a turn after an answer.
      const isBusy = conversation.state.core.turn !== null
      context.afterReply(() =>
        isBusy ? session.notify('warning', { threadId, message }) : failAtOnce(session, { threadId, message }),
      )
    })
    return {}
  }),
  'thread/shellCommand': method(codexParams.shellCommand, async (session, { threadId, command }, context) => {
    const { conversation } = await session.thread(threadId)
    if (session.parts.limits.isUnlimited) await conversation.request('conversation/runShell', { command })
    // Codex's terminal ends itself at an error here.
    else context.afterReply(() => session.notify('warning', { threadId, message: notRun }))
    return {}
  }),
  'review/start': method(codexParams.reviewStart, async (session, { threadId, target }, context) => {
    const { conversation } = await session.thread(threadId)
    if (conversation.state.core.turn !== null) throw codexError('a turn is running; a review is one of its own')
    const input = [{ type: 'text' as const, text: reviewRequest(targetOf(target)) }]
    const started = await startTurn(session, { threadId, input, purpose: 'review' }, context)
    return { ...started, reviewThreadId: threadId }
  }),
}

function targetOf(target: CodexParams<'reviewStart'>['target']): ReviewTarget {
  switch (target.type) {
    case 'uncommittedChanges':
      return { kind: 'workTree' }
    case 'baseBranch':
      return { kind: 'branch', base: target.branch }
    case 'commit':
      return { kind: 'commits', range: target.title == null ? target.sha : `${target.sha} (${target.title})` }
    case 'custom':
      return { kind: 'words', text: target.instructions }
  }
}

const notRun =
  'The command was not run: it would run outside any sandbox, and this server was not started for that. Whoever starts it can allow it: parley app-server --max-sandbox danger-full-access.'

/** Reports a turn that failed at once, for a request that is refused. */
function failAtOnce({ notify, parts }: AppSession, { threadId, message }: { threadId: string; message: string }): void {
  const now = parts.now()
  const id = `refused-${now}`
  const failure = { code: 'refused', message, retry: 'never' as const }
  const ended = { outcome: 'failed', failure, startedAtMs: now, endedAtMs: now } as const
  notify('turn/started', { threadId, turn: runningTurnShape(id, now) })
  notify('error', { threadId, turnId: id, error: turnError(failure), willRetry: false })
  notify('turn/completed', { threadId, turn: turnShape({ id, ...ended, items: [], itemsView: 'notLoaded' }) })
}

/** Changes settings between turns. Folders and network come with a turn only. */
async function updateSettings(session: AppSession, params: CodexParams<'settingsUpdate'>, context: CallContext) {
  const { conversation } = await session.thread(params.threadId)
  const { core } = conversation.state
  const { cwd, writableRoots, network, ...settings } = turnOverrides(params, core.settings, core.meta.cwd)
  if (cwd !== undefined || writableRoots !== undefined || network !== undefined)
    throw codexError('thread/settings/update: folders and network are changed by turn/start')
  if (params.approvalsReviewer != null && params.approvalsReviewer !== 'user')
    throw codexError('approvalsReviewer: every question goes to the user here')
  await session.parts.limits.assertOverrides(settings, core.settings)
  const isChanged = Object.keys(settings).length > 0
  if (isChanged) await conversation.configure(settings)
  // Clients wait for the notice. A thread has no events before its first message, and an unchanged setting makes no
  // event.
  if (core.seq === 0 || !isChanged)
    context.afterReply(() => session.notify('thread/settings/updated', settingsNotice(conversation)))
  return {}
}

function settingsNotice({ id: threadId, state: { core } }: Conversation) {
  return { threadId, threadSettings: threadSettings(core.settings, core.meta.cwd) }
}

interface StartedTurn extends CodexParams<'turnStart'> {
  readonly purpose?: TurnPurpose
}

/** Starts a turn and answers with it; notifications about it follow the answer. */
async function startTurn(session: AppSession, params: StartedTurn, context: CallContext) {
  const thread = await session.thread(params.threadId)
  const release = session.hold()
  try {
    const id = await startOrSteer(session, thread, params)
    context.afterReply(release)
    return { turn: runningTurnShape(id, null) }
  } catch (error) {
    release()
    throw error
  }
}

/** Starts a turn; a message during a running one goes into it. Returns the id of the turn. */
async function startOrSteer(session: AppSession, { conversation }: OpenThread, params: StartedTurn): Promise<string> {
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
    ...(params.purpose === undefined ? {} : { purpose: params.purpose }),
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
