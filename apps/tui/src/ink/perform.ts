import type { Client } from '@parley/client/parts'
import type { ConversationId, ConversationState, ResultOf, ServerNotice, Settings } from '@parley/protocol'
import { ConnectionClosedError, RpcError } from '@parley/rpc'
import type { Intent, UiAction } from '../ui/actions.ts'
import type { Notice } from '../ui/notices/notice.ts'
import { mcpTable, whyTable } from '../ui/notices/tables.ts'
import { trustTable } from '../ui/notices/trust-table.ts'
import { settingsLine } from '../ui/other-clients.ts'
import { isDiskFull, isLostLog } from '../ui/storage-trouble.ts'
import { placedPath } from '../view/text/formats.ts'
import { howToRaise } from './above-ceiling.ts'

/** What only the server can do, once there is a conversation. */
export type Request = Exclude<Intent, { kind: 'open' | 'fork' | 'new' | 'restart' | 'suspend' | 'detach' | 'leave' }>

export interface Counter {
  readonly client: Client
  readonly conversationId: ConversationId
  readonly state: ConversationState | null
  readonly dispatch: (...actions: readonly UiAction[]) => void
  /** Settings changed before the first message come with no event. */
  readonly refresh: () => Promise<void>
}

/** Asks the server and says on the screen what became of it, where the conversation's events do not say it. */
export async function perform(request: Request, counter: Counter): Promise<void> {
  try {
    await ask(request, counter)
  } catch (error) {
    // The screen says that the server is gone; what was not taken is sent again to the next one.
    if (error instanceof ConnectionClosedError) return
    if (!(error instanceof RpcError)) throw error
    counter.dispatch(...(aboveCeiling(request, error, counter) ?? afterRejection(request, error)))
  }
}

async function ask(request: Request, { client, conversationId, state, dispatch, refresh }: Counter): Promise<void> {
  switch (request.kind) {
    case 'send': {
      const { messageId, text, when, images = [] } = request.message
      await client.request('conversation/sendMessage', {
        conversationId,
        messageId,
        when,
        input: [{ type: 'text', text }, ...images.map((path) => ({ type: 'image' as const, path }))],
      })
      return dispatch({ kind: 'acknowledged', messageId })
    }
    case 'editQueued': {
      const content = [{ type: 'text' as const, text: request.text }]
      await client.request('conversation/inbox/edit', { conversationId, messageId: request.messageId, content })
      return
    }
    case 'takeBack':
      await client.request('conversation/inbox/remove', { conversationId, messageId: request.messageId })
      return dispatch({ kind: 'tookBack', text: request.text })
    case 'removeQueued':
      await client.request('conversation/inbox/remove', { conversationId, messageId: request.messageId })
      return
    case 'interrupt':
      await client.request('conversation/interrupt', { conversationId, turnId: request.turnId })
      return
    case 'continue':
      await client.request('conversation/continue', { conversationId })
      return
    case 'decide': {
      const { kind: _, ...answer } = request
      await client.request('approval/decide', { conversationId, ...answer })
      return
    }
    case 'shell':
      await client.request('conversation/runShell', { conversationId, command: request.command })
      return
    case 'configure':
      await client.request('conversation/configure', { conversationId, settings: request.settings })
      return refresh().then(() => dispatch(note('info', `${settingsLine(request.settings)}.`)))
    case 'rename':
      await client.request('conversation/rename', { conversationId, name: request.name })
      return dispatch(note('info', `This conversation is now named ${request.name}.`))
    case 'list':
      return dispatch({ kind: 'listed', ...(await client.request('conversation/list', { limit: 500 })) })
    case 'models':
      return dispatch({ kind: 'notice', notice: modelTable(await client.request('model/list', {})) })
    case 'mcp':
      return dispatch({ kind: 'notice', notice: mcpTable(await client.request('mcp/list', {})) })
    case 'restartMcp':
      await client.request('mcp/restart', { name: request.name })
      return dispatch(note('info', `The tool server ${request.name} is starting anew; /mcp shows its state.`))
    case 'readTrust': {
      const { notice, hash } = trustTable(await client.request('trust/read', { cwd: folderHere(state) }))
      return dispatch({ kind: 'notice', notice }, { kind: 'trustShown', hash })
    }
    case 'decideTrust': {
      const { hash, verdict } = request
      await client.request('trust/decide', { cwd: folderHere(state), hash, verdict })
      return dispatch({ kind: 'trustShown', hash: null }, note('info', afterVerdict[verdict]))
    }
    case 'why':
      return dispatch({ kind: 'notice', notice: await askWhy(request, { client, conversationId }) })
    case 'status':
      return dispatch({
        kind: 'notice',
        notice: statusTable(state, await client.request('server/diagnostics', {})),
      })
  }
}

async function askWhy(
  { item }: Extract<Request, { kind: 'why' }>,
  { client, conversationId: conversation }: Pick<Counter, 'client' | 'conversationId'>,
): Promise<Notice> {
  const which = item === undefined ? { conversation } : { conversation, item }
  return whyTable(await client.request('policy/why', which))
}

const afterVerdict = {
  trusted: 'Trusted. It takes effect in new conversations (/new begins one); this one stays as it is.',
  declined: 'Declined. Nothing of it takes effect in new conversations.',
} as const

/** A folder on another machine is no project here. */
function folderHere(state: ConversationState | null): string {
  const isHere = state !== null && state.core.settings.environment === undefined
  return isHere ? state.core.meta.cwd : '/'
}

/** The server speaks to every client; at a terminal there is one way, which can be typed as it stands. */
function aboveCeiling(
  request: Request,
  { data }: RpcError,
  { conversationId, state }: Counter,
): readonly UiAction[] | null {
  if (request.kind !== 'configure' || data?.code !== 'aboveCeiling' || state === null) return null
  return [note('error', howToRaise(conversationId, request.settings, state))]
}

/** What the user wrote comes back; a race that was lost is no error. */
function afterRejection(request: Request, error: RpcError): readonly UiAction[] {
  const code = error.data?.code
  switch (request.kind) {
    case 'send':
      return [{ kind: 'notTaken', message: request.message }, refusalSaid(error)]
    case 'decide':
      return afterRefusedAnswer(request, error)
    case 'shell':
      return [{ kind: 'tookBack', text: `!${request.command}` }, refusalSaid(error)]
    case 'editQueued':
      return [{ kind: 'tookBack', text: request.text }, note('warning', error.message)]
    case 'takeBack':
    case 'interrupt':
      return code === 'messageNotQueued' || code === 'turnMismatch' ? [] : [refusalSaid(error)]
    default:
      return [refusalSaid(error)]
  }
}

function afterRefusedAnswer(
  { approvalId, answers, note: words }: Extract<Request, { kind: 'decide' }>,
  { message, data }: RpcError,
): readonly UiAction[] {
  const field = /^answers\.(.+)$/s.exec(String(data?.['field']))?.[1]
  if (answers !== undefined && field !== undefined)
    return [{ kind: 'formRefused', approvalId, answers, field, problem: message }]
  // Where another window was quicker, its answer says so itself.
  const isSaid = data?.code === 'approvalNotPending' && data['decidedBy'] !== undefined
  return [
    { kind: 'answerRefused', approvalId },
    ...(words === undefined ? [] : [{ kind: 'tookBack', text: words } as const]),
    ...(isSaid ? [] : [note('warning', message)]),
  ]
}

/** What the server refused, as it says it; a log that is lost is the same for all that is asked from then on. */
export function refusalSaid({ message, data }: RpcError): UiAction {
  const errno = data?.['errno']
  return isLostLog(errno) ? { kind: 'logLost', log: { errno, text: message }, isAnswer: true } : note('error', message)
}

/** Returns the notice to show for a message that the server sent by itself. */
export function noticeSaid({ level, message, errno }: Pick<ServerNotice, 'level' | 'message' | 'errno'>): UiAction {
  if (isLostLog(errno)) return { kind: 'logLost', log: { errno, text: message }, isAnswer: false }
  return note(level, isDiskFull(errno) ? `${message} Make room: it goes on by itself then.` : message)
}

function note(level: 'info' | 'warning' | 'error', text: string): UiAction {
  return { kind: 'notice', notice: { kind: 'note', level, text } }
}

function modelTable({ models, problems, local }: ResultOf<'model/list'>): Notice {
  const rows: (readonly [string, string])[] = [
    ...models.map(({ provider, id, current }) => [`${provider} ${id}`, current ? 'the default' : ''] as const),
    ...local.flatMap(({ provider, name, models: ids }) =>
      ids.map((id) => [`${provider} ${id}`, `local, ${name}`] as const),
    ),
    ...problems.map(({ provider, message }) => [provider, message] as const),
  ]
  const title =
    rows.length === 0
      ? 'No provider lists its models. /model ID uses one by name'
      : 'Models: /model PROVIDER ID uses one'
  return { kind: 'table', title, rows }
}

function statusTable(state: ConversationState | null, server: ResultOf<'server/diagnostics'>): Notice {
  return {
    kind: 'table',
    title: 'Status',
    rows: [
      ...(state === null ? [] : conversationRows(state, server)),
      ['kept in', server.home],
      ['server', `${server.version} (${server.build}), process ${server.pid}, Node ${server.node}`],
      ['memory', `${Math.round(server.rssBytes / 1_048_576)} MB`],
    ],
  }
}

type Server = ResultOf<'server/diagnostics'>

function conversationRows({ core }: ConversationState, server: Server): (readonly [string, string])[] {
  const { meta, settings } = core
  return [
    ['conversation', meta.conversationId],
    ['folder', placedPath(meta.cwd, settings.environment, '')],
    ['model', `${settings.modelProvider} ${settings.model}`],
    ['approvals', settings.approvalPolicy],
    ['sandbox', sandboxText(settings)],
    ...(settings.sandbox === 'danger-full-access'
      ? []
      : [['enforced by', enforcedBy(meta.conversationId, server)] as const]),
  ]
}

const enforcementWords = {
  full: 'enforced in full',
  partial: 'enforced in part: what is not known to be harmless asks',
  none: 'enforced by nothing: what is not known to be harmless asks',
}

function sandboxText({ enforcement, sandbox, network }: Settings): string {
  if (sandbox === 'danger-full-access') return 'off: you chose full access'
  const open = network === true && sandbox === 'workspace-write' ? ', with network' : ''
  return `${sandbox}${open}, ${enforcementWords[enforcement]}`
}

/** Where the conversation works, which may be another machine than the server's. */
function enforcedBy(conversationId: ConversationId, { conversations, enforcementReason }: Server): string {
  return conversations.find((open) => open.conversationId === conversationId)?.enforcementReason ?? enforcementReason
}
