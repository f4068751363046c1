import { type Conversation, codeOf, isConnectionOver, type Parley } from '@parley/client'
import { shareConversation } from '@parley/presentation/commands/share-words'
import { hooksTable } from '@parley/presentation/notices/hooks-table'
import { mcpTable, type Notice, whyTable } from '@parley/presentation/notices/notice'
import { contextTable, statusTable } from '@parley/presentation/notices/status-tables'
import { trustTable } from '@parley/presentation/notices/trust-table'
import { type ConversationState, wireErrors } from '@parley/protocol'
import { RpcError } from '@parley/rpc'
import { imageInput } from '../cli/image-input.ts'
import { loggedOutText } from '../cli/messages.ts'
import { attachedImages } from '../files/attached-images.ts'
import type { UiAction } from '../ui/state/actions.ts'
import { changeSettings } from './change-settings.ts'
import { askForReview, planMemory, planRewind, rememberLine, rewindFiles, showDiff } from './file-changes.ts'
import { keptModels, listOlder, loadLogins, loadModels } from './lists/menu-contents.ts'
import { changeListed, foundTexts, listedConversations, readPreview } from './lists/picker-contents.ts'
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
    const actions = await callHandler(intent.kind, intent, context)
    if (actions.length > 0) context.dispatch(...actions)
  } catch (error) {
    // The screen shows that the server is gone; unsent text is sent again to the next server.
    if (isDisconnection(error)) return
    if (!(error instanceof RpcError)) throw error
    context.dispatch(...actionsAfterRejection(intent, error, context.conversation))
  }
}

/** Returns true for the error of a request after its connection has ended, or was closed here. */
export function isDisconnection(error: unknown): boolean {
  return isConnectionOver(error) || codeOf(error) === 'closed'
}

type RequestKind = RequestIntent['kind']
type RequestIntents = { readonly [Kind in RequestKind]: Extract<RequestIntent, { kind: Kind }> }

/** Sends the requests of an intent. Resolves to the actions that show their results. */
type RequestHandler<One> = (intent: One, context: IntentContext) => Promise<readonly UiAction[]>

function callHandler<Kind extends RequestKind>(kind: Kind, intent: RequestIntents[Kind], context: IntentContext) {
  return requestHandlers[kind](intent, context)
}

/** Handles intents about the open conversation. Rejects with `conversationNotFound` before one is open. */
function inConversation<One>(
  handle: (intent: One, conversation: IntentConversation, context: IntentContext) => Promise<readonly UiAction[]>,
): RequestHandler<One> {
  return (intent, context) => handle(intent, conversationOf(context), context)
}

/** Handles intents about the open conversation that need no words: its events show the results. */
function silently<One>(
  handle: (intent: One, conversation: IntentConversation) => Promise<unknown>,
): RequestHandler<One> {
  return async (intent, context) => {
    await handle(intent, conversationOf(context))
    return []
  }
}

/** RequestHandler of each intent that is a request; an intent without one does not compile. */
const requestHandlers: { readonly [Kind in RequestKind]: RequestHandler<RequestIntents[Kind]> } = {
  send: inConversation(async ({ message }, conversation, { isFar }) => {
    const { messageId, text, when, images = [] } = message
    const paths = new Set([...images, ...attachedImages(text, conversation.state, isFar)])
    const input = [{ type: 'text' as const, text }, ...[...paths].map((path) => imageInput(path, isFar))]
    // `send` of the library also follows the turn, which the screen does by the conversation's state.
    await conversation.request('conversation/sendMessage', { messageId, when, input })
    return [{ kind: 'acknowledged', messageId }]
  }),
  decide: silently(({ kind: _, approvalId, ...answer }, conversation) => conversation.decide(approvalId, answer)),
  continue: silently((_, conversation) => conversation.continue()),
  interrupt: silently(({ turnId }, conversation) => conversation.interrupt(turnId)),
  retryNow: silently((_, conversation) => conversation.request('conversation/retryNow', {})),
  shell: silently(({ command }, conversation) => conversation.request('conversation/runShell', { command })),
  stopShell: silently(({ itemIds }, conversation) => {
    const named = itemIds?.map((itemId) => ({ itemId })) ?? [{}]
    return Promise.all(named.map((one) => conversation.request('conversation/interrupt', { shell: true, ...one })))
  }),
  background: silently(({ itemId }, conversation) => conversation.request('conversation/background', { itemId })),
  typeInProcess: silently(({ itemId, text }, conversation) =>
    conversation.request('conversation/process/write', { itemId, text }),
  ),
  editQueued: silently(({ messageId, text }, conversation) =>
    conversation.request('conversation/inbox/edit', { messageId, content: [{ type: 'text', text }] }),
  ),
  removeQueued: silently(({ messageId }, conversation) =>
    conversation.request('conversation/inbox/remove', { messageId }),
  ),
  takeBack: inConversation(async ({ messageId, text }, conversation) => {
    await conversation.request('conversation/inbox/remove', { messageId })
    return [{ kind: 'tookBack', text }]
  }),
  forward: inConversation(async ({ port }, conversation) => {
    const { url } = await conversation.request('conversation/forward', { port })
    return [
      note(
        'info',
        `Port ${port} of the sandbox is at ${url} on the machine of the server. /forward stop ${port} ends it.`,
      ),
    ]
  }),
  stopForward: inConversation(async ({ port }, conversation) => {
    const { stopped } = await conversation.request('conversation/forward/stop', { port })
    return [note('info', stopped ? `Port ${port} is no longer forwarded.` : `Port ${port} is not forwarded.`)]
  }),
  configure: inConversation((intent, conversation, { parley }) => changeSettings(intent, conversation, parley)),
  olderMessages: inConversation(async ({ before }, conversation, { dispatch }) => {
    await listOlder(before, conversation, dispatch)
    return []
  }),
  share: inConversation(async ({ asked }, { id: conversationId }, { parley }) => [
    shown(await shareConversation(asked, { conversationId, nowMs: Date.now() }, parley)),
  ]),
  rename: inConversation(async ({ name }, conversation) => {
    await conversation.rename(name)
    return [note('info', `This conversation is now named ${name}.`)]
  }),
  context: inConversation(async (_, conversation) => [
    shown(contextTable(await conversation.request('conversation/context', {}))),
  ]),
  compact: silently(({ what }, conversation) =>
    conversation.request('conversation/compact', what === '' ? {} : { instructions: what }),
  ),
  leaveOut: silently(({ half }, conversation) =>
    conversation.request('conversation/context/leaveOut', half === true ? { half: true } : {}),
  ),
  undoCompaction: inConversation(async (_, conversation) => {
    const { tokens } = await conversation.request('conversation/compact/undo', {})
    const text = `What was last left out of the model's view is back: it sees about ${tokens.toLocaleString('en-US')} tokens again.`
    return [note('info', `${text} Nothing is compacted by itself until the next turn has ended.`)]
  }),
  review: inConversation((intent, conversation, { isFar }) => askForReview(intent, conversation, isFar)),
  diff: inConversation((_, { state }, { isFar }) => showDiff(state, isFar)),
  planRewind: inConversation(planRewind),
  rewind: inConversation(rewindFiles),
  planRemember: inConversation(planMemory),
  remember: inConversation(rememberLine),
  why: inConversation(async ({ kind: _, ...call }, { id: conversation }, { parley }) => [
    shown(whyTable(await parley.request('policy/why', { conversation, ...call }))),
  ]),
  list: async ({ archived }, { parley }) => [await listedConversations(parley, archived)],
  searchTexts: async (intent, { parley }) => [await foundTexts(parley, intent)],
  changeListed: async (intent, { parley }) => {
    await changeListed(parley, intent)
    return [await listedConversations(parley, intent.archived)]
  },
  preview: async ({ conversationId }, { parley }) => [
    { kind: 'previewed', conversationId, lines: await readPreview(parley, conversationId) },
  ],
  models: async (_, { parley, conversation, dispatch }) => {
    const state = conversation?.state ?? null
    const rows = await keptModels(parley, state)
    if (rows.length > 0) dispatch({ kind: 'menuFilled', menu: 'model', rows, problem: null })
    return [{ kind: 'menuFilled', menu: 'model', ...(await loadModels(parley, state)) }]
  },
  logins: async ({ menu }, { parley, conversation }) => [
    { kind: 'menuFilled', menu, ...(await loadLogins(parley, menu, conversation?.state ?? null)) },
  ],
  logOut: async ({ provider }, { parley }) => [
    note('info', loggedOutText(provider, await parley.request('logout', { provider }))),
  ],
  adoptModel: ({ provider }, context) => adoptModel(provider, context),
  keepTheme: async ({ theme }, { parley }) => {
    const { file } = await parley.request('config/write', { key: 'tui.theme', value: theme })
    return [note('info', `Colours: ${theme}, from now on (${file}).`)]
  },
  hooks: async (_, context) => [shown(hooksTable(await context.parley.request('hook/list', projectFolder(context))))],
  mcp: async (_, { parley }) => [shown(mcpTable(await parley.request('mcp/list', {})))],
  restartMcp: async ({ name }, { parley }) => {
    await parley.request('mcp/restart', { name })
    return [note('info', `The tool server ${name} is starting anew; /mcp shows its state.`)]
  },
  readTrust: async (_, context) => {
    const { notice, hash } = trustTable(await context.parley.request('trust/read', projectFolder(context)))
    return [shown(notice), { kind: 'trustShown', hash }]
  },
  decideTrust: async ({ hash, verdict }, context) => {
    const { parley, conversation, dispatch } = context
    await parley.request('trust/decide', { ...projectFolder(context), hash, verdict })
    if (conversation !== null) dispatch(await listParts(context, projectFolder(context)))
    return [{ kind: 'trustShown', hash: null }, note('info', afterVerdict[verdict])]
  },
  listParts: async ({ folder }, context) => [await listParts(context, { ...projectFolder(context), cwd: folder })],
  status: async (_, { parley, conversation }) => {
    const [server, { providers }] = await Promise.all([
      parley.request('server/diagnostics', {}),
      parley.request('provider/list', {}),
    ])
    return [shown(statusTable(conversation?.state ?? null, { ...server, isSafe: parley.isSafe }, providers))]
  },
}

function shown(notice: Notice): UiAction {
  return { kind: 'notice', notice }
}

function conversationOf({ conversation }: IntentContext): IntentConversation {
  if (conversation !== null) return conversation
  throw new RpcError(wireErrors.conversationNotFound, 'No conversation is open yet.', { code: 'conversationNotFound' })
}

/** Gives a conversation without a model the one of new conversations, or says how to choose one. */
async function adoptModel(login: string, context: IntentContext): Promise<readonly UiAction[]> {
  const { chosen } = await context.parley.request('provider/list', {})
  if (chosen === null) return [note('info', `Logged in to ${login}. /model ${login} MODEL chooses a model of it.`)]
  const { provider: modelProvider, model } = chosen
  await conversationOf(context).configure({ modelProvider, model })
  return [note('info', `Logged in to ${login}. ${model} of ${modelProvider} answers from the next message on.`)]
}

const afterVerdict = {
  trusted:
    'Trusted. It takes effect in new conversations (/new begins one); in this one only skills and commands, from the next message on.',
  declined: 'Declined. Nothing of it takes effect in new conversations.',
} as const

/** Returns the folder of the project; `/`, where no project lies, while no conversation is open. */
function projectFolder({ conversation }: { readonly conversation: { readonly state: ConversationState } | null }) {
  if (conversation === null) return { cwd: '/' }
  const { meta, settings } = conversation.state.core
  return { cwd: meta.cwd, ...(settings.environment === undefined ? {} : { environment: settings.environment }) }
}

async function listParts({ parley }: IntentContext, folder: ReturnType<typeof projectFolder>): Promise<UiAction> {
  return { kind: 'partsListed', ...(await parley.request('skill/list', folder)) }
}
