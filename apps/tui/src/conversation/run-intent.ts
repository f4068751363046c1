import { type Conversation, codeOf, isConnectionOver, type Parley } from '@parley/client'
import { hooksTable } from '@parley/presentation/notices/hooks-table'
import { mcpTable, whyTable } from '@parley/presentation/notices/notice'
import { contextTable, statusTable } from '@parley/presentation/notices/status-tables'
import { trustTable } from '@parley/presentation/notices/trust-table'
import { type ConversationState, wireErrors } from '@parley/protocol'
import { RpcError } from '@parley/rpc'
import { imageInput } from '../cli/image-input.ts'
import { loggedOutText } from '../cli/messages.ts'
import { attachedImages } from '../files/attached-images.ts'
import type { UiAction } from '../ui/actions.ts'
import { unseenWords } from '../view/review/unseen-words.ts'
import { changeSettings } from './change-settings.ts'
import { changeActions } from './file-changes.ts'
import { forwardPort } from './forward-port.ts'
import { keptModels, listOlder, loadLogins, loadModels } from './lists/menu-contents.ts'
import { changeListed, foundTexts, listedConversations, readPreview } from './lists/picker-contents.ts'
import { shareNow } from './people/share-now.ts'
import { actOnProcess } from './process-intents.ts'
import { actionsAfterRejection, note, type RequestIntent } from './rejected-intent.ts'

/** Connection and conversation that an intent is about, and the way to the screen. */
export interface IntentContext {
  readonly parley: Pick<Parley, 'request' | 'isSafe'>
  readonly isFar: boolean
  readonly conversation: IntentConversation | null
  readonly dispatch: (...actions: readonly UiAction[]) => void
}

type IntentConversation = Pick<
  Conversation,
  'id' | 'state' | 'request' | 'decide' | 'interrupt' | 'continue' | 'configure' | 'rename'
>

/** Sends the requests of an intent, and shows their results where the conversation's events do not. */
export async function runIntent(intent: RequestIntent, context: IntentContext): Promise<void> {
  try {
    if (isAboutServer(intent)) await askServer(intent, context)
    else await askConversation(intent, conversationOf(context), context)
  } catch (error) {
    // The screen shows that the server is gone; what it did not take is sent again to the next one.
    if (isDisconnection(error)) return
    if (!(error instanceof RpcError)) throw error
    context.dispatch(...actionsAfterRejection(intent, error, context.conversation))
  }
}

/** Returns true for the error of a request whose connection is over, or was closed here. */
export function isDisconnection(error: unknown): boolean {
  return isConnectionOver(error) || codeOf(error) === 'closed'
}

/** Kinds of intents that need no conversation. */
const serverKinds = [
  'list',
  'searchTexts',
  'changeListed',
  'models',
  'logins',
  'logOut',
  'adoptModel',
  'keepTheme',
  'preview',
  'hooks',
  'mcp',
  'restartMcp',
  'readTrust',
  'decideTrust',
  'status',
  'listParts',
] as const

type ServerIntent = Extract<RequestIntent, { kind: (typeof serverKinds)[number] }>

function isAboutServer(intent: RequestIntent): intent is ServerIntent {
  return serverKinds.some((kind) => kind === intent.kind)
}

function conversationOf({ conversation }: IntentContext): IntentConversation {
  if (conversation !== null) return conversation
  throw new RpcError(wireErrors.conversationNotFound, 'No conversation is open yet.', { code: 'conversationNotFound' })
}

async function askConversation(
  intent: Exclude<RequestIntent, ServerIntent>,
  conversation: IntentConversation,
  { parley, dispatch, isFar }: IntentContext,
): Promise<void> {
  switch (intent.kind) {
    case 'send': {
      const { messageId, text, when, images = [] } = intent.message
      const paths = new Set([...images, ...attachedImages(text, conversation.state, isFar)])
      const input = [{ type: 'text' as const, text }, ...[...paths].map((path) => imageInput(path, isFar))]
      // `send` of the library also follows the turn, which the screen does by the conversation's state.
      await conversation.request('conversation/sendMessage', { messageId, when, input })
      return dispatch({ kind: 'acknowledged', messageId })
    }
    case 'editQueued':
    case 'takeBack':
    case 'removeQueued':
      return dispatch(...(await changeInbox(intent, conversation)))
    case 'context':
      return dispatch({ kind: 'notice', notice: contextTable(await conversation.request('conversation/context', {})) })
    case 'interrupt':
      return void (await conversation.interrupt(intent.turnId))
    case 'stopShell':
    case 'background':
    case 'typeInProcess':
      return actOnProcess(intent, conversation)
    case 'forward':
    case 'stopForward':
      return dispatch(await forwardPort(intent, conversation))
    case 'continue':
      await conversation.continue()
      return
    case 'retryNow':
      await conversation.request('conversation/retryNow', {})
      return
    case 'decide': {
      const { kind: _, approvalId, ...answer } = intent
      return conversation.decide(approvalId, answer)
    }
    case 'shell':
      await conversation.request('conversation/runShell', { command: intent.command })
      return
    case 'configure':
      return dispatch(...(await changeSettings(intent, conversation, parley)))
    case 'olderMessages':
      return listOlder(intent.before, conversation, dispatch)
    case 'share':
      return dispatch({ kind: 'notice', notice: await shareNow(intent.asked, conversation.id, parley) })
    case 'rename':
      await conversation.rename(intent.name)
      return dispatch(note('info', `This conversation is now named ${intent.name}.`))
    case 'compact':
    case 'undoCompaction':
    case 'leaveOut':
      return dispatch(...(await changeView(intent, conversation)))
    case 'review':
      return review(intent, conversation, { dispatch, isFar })
    case 'diff':
    case 'planRewind':
    case 'planRemember':
    case 'remember':
    case 'rewind':
      return dispatch(...(await changeActions(intent, conversation, isFar)))
    case 'why': {
      const { kind: _, ...call } = intent
      const why = await parley.request('policy/why', { conversation: conversation.id, ...call })
      return dispatch({ kind: 'notice', notice: whyTable(why) })
    }
  }
}

/** Edits or removes a waiting message; the text of one that is taken back goes to the composer. */
async function changeInbox(
  intent: Extract<RequestIntent, { kind: 'editQueued' | 'takeBack' | 'removeQueued' }>,
  conversation: IntentConversation,
): Promise<readonly UiAction[]> {
  const { messageId } = intent
  if (intent.kind === 'editQueued') {
    const content = [{ type: 'text' as const, text: intent.text }]
    await conversation.request('conversation/inbox/edit', { messageId, content })
    return []
  }
  await conversation.request('conversation/inbox/remove', { messageId })
  return intent.kind === 'takeBack' ? [{ kind: 'tookBack', text: intent.text }] : []
}

/** Sends the message that asks for a review, or says why there is none. */
async function review(
  { span, focus }: Extract<RequestIntent, { kind: 'review' }>,
  conversation: IntentConversation,
  { dispatch, isFar }: Pick<IntentContext, 'dispatch' | 'isFar'>,
): Promise<void> {
  const { core } = conversation.state
  const { reviewElsewhere, reviewOfChanges } = await import('../programs/review-message.ts')
  const place = { folder: core.meta.cwd, env: process.env }
  const asked =
    core.settings.environment === undefined && !isFar
      ? await reviewOfChanges(span, focus, place)
      : reviewElsewhere(span, focus)
  if (asked.kind === 'problem') return dispatch(note('warning', asked.text))
  if (asked.kind === 'nothing') return dispatch(note('info', 'There is nothing to review: no file differs.'))
  await conversation.request('conversation/sendMessage', { ...asked.message, when: 'queue' })
  const unseen = unseenWords(asked.unseen)
  if (unseen !== null) dispatch(note('info', unseen))
}

/** Gives a conversation without a model the one of new conversations, or says how to choose one. */
async function adoptModel(login: string, context: IntentContext): Promise<void> {
  const { parley, dispatch } = context
  const { chosen } = await parley.request('provider/list', {})
  if (chosen === null)
    return dispatch(note('info', `Logged in to ${login}. /model ${login} MODEL chooses a model of it.`))
  const { provider: modelProvider, model } = chosen
  await conversationOf(context).configure({ modelProvider, model })
  dispatch(note('info', `Logged in to ${login}. ${model} of ${modelProvider} answers from the next message on.`))
}

/** Asks for a compaction or leaves out what was refused, which the transcript shows, or undoes the last of them. */
async function changeView(
  intent: Extract<RequestIntent, { kind: 'compact' | 'undoCompaction' | 'leaveOut' }>,
  conversation: IntentConversation,
): Promise<readonly UiAction[]> {
  if (intent.kind === 'leaveOut') {
    await conversation.request('conversation/context/leaveOut', intent.half === true ? { half: true } : {})
    return []
  }
  if (intent.kind === 'compact') {
    await conversation.request('conversation/compact', intent.what === '' ? {} : { instructions: intent.what })
    return []
  }
  const { tokens } = await conversation.request('conversation/compact/undo', {})
  const text = `What was last left out of the model's view is back: it sees about ${tokens.toLocaleString('en-US')} tokens again.`
  return [note('info', `${text} Nothing is compacted by itself until the next turn has ended.`)]
}

async function askServer(intent: ServerIntent, context: IntentContext): Promise<void> {
  const { parley, conversation, dispatch } = context
  const state = conversation?.state ?? null
  switch (intent.kind) {
    case 'list':
      return dispatch(await listedConversations(parley, intent.archived))
    case 'searchTexts':
      return dispatch(await foundTexts(parley, intent))
    case 'changeListed':
      await changeListed(parley, intent)
      return dispatch(await listedConversations(parley, intent.archived))
    case 'models': {
      const rows = await keptModels(parley, state)
      if (rows.length > 0) dispatch({ kind: 'menuFilled', menu: 'model', rows, problem: null })
      return dispatch({ kind: 'menuFilled', menu: 'model', ...(await loadModels(parley, state)) })
    }
    case 'logins':
      return dispatch({ kind: 'menuFilled', menu: intent.menu, ...(await loadLogins(parley, intent.menu, state)) })
    case 'logOut':
      return dispatch(
        note('info', loggedOutText(intent.provider, await parley.request('logout', { provider: intent.provider }))),
      )
    case 'adoptModel':
      return adoptModel(intent.provider, context)
    case 'keepTheme': {
      const { theme } = intent
      const { file } = await parley.request('config/write', { key: 'tui.theme', value: theme })
      return dispatch(note('info', `Colours: ${theme}, from now on (${file}).`))
    }
    case 'preview': {
      const { conversationId } = intent
      return dispatch({ kind: 'previewed', conversationId, lines: await readPreview(parley, conversationId) })
    }
    case 'hooks': {
      const listed = await parley.request('hook/list', projectFolder(state))
      return dispatch({ kind: 'notice', notice: hooksTable(listed) })
    }
    case 'mcp':
      return dispatch({ kind: 'notice', notice: mcpTable(await parley.request('mcp/list', {})) })
    case 'restartMcp':
      await parley.request('mcp/restart', { name: intent.name })
      return dispatch(note('info', `The tool server ${intent.name} is starting anew; /mcp shows its state.`))
    case 'readTrust': {
      const { notice, hash } = trustTable(await parley.request('trust/read', projectFolder(state)))
      return dispatch({ kind: 'notice', notice }, { kind: 'trustShown', hash })
    }
    case 'listParts':
      return dispatch(await listParts(parley, { ...projectFolder(state), cwd: intent.folder }))
    case 'decideTrust': {
      const { hash, verdict } = intent
      await parley.request('trust/decide', { ...projectFolder(state), hash, verdict })
      if (state !== null) dispatch(await listParts(parley, projectFolder(state)))
      return dispatch({ kind: 'trustShown', hash: null }, note('info', afterVerdict[verdict]))
    }
    case 'status': {
      const [server, { providers }] = await Promise.all([
        parley.request('server/diagnostics', {}),
        parley.request('provider/list', {}),
      ])
      return dispatch({ kind: 'notice', notice: statusTable(state, { ...server, isSafe: parley.isSafe }, providers) })
    }
  }
}

const afterVerdict = {
  trusted:
    'Trusted. It takes effect in new conversations (/new begins one); in this one only skills and commands, from the next message on.',
  declined: 'Declined. Nothing of it takes effect in new conversations.',
} as const

/** Returns the folder to look for a project in: `/`, which has none, without a conversation. */
function projectFolder(state: ConversationState | null) {
  if (state === null) return { cwd: '/' }
  const { meta, settings } = state.core
  return { cwd: meta.cwd, ...(settings.environment === undefined ? {} : { environment: settings.environment }) }
}

async function listParts(parley: IntentContext['parley'], folder: ReturnType<typeof projectFolder>): Promise<UiAction> {
  return { kind: 'partsListed', ...(await parley.request('skill/list', folder)) }
}
