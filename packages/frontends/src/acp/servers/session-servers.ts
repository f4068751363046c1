import { randomUUID } from 'node:crypto'
import {
  type AgentContext,
  type McpServer,
  methods,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
  type ToolCall,
} from '@agentclientprotocol/sdk'
import type { ConversationId } from '@parley/client'
import type { EditorServer, EditorServers, EditorServersOffer, OfferedServer } from '@parley/engine'
import { confusableWarnings, hiddenWarnings, onOneLine } from '@parley/protocol/question'
import { joinShellWords } from '@parley/text'
import { fenced, textContent } from '../updates/call-updates.ts'

interface ServersParts {
  readonly conversationId: ConversationId
  /** As the editor hands them over. */
  readonly given: readonly McpServer[]
  readonly servers: EditorServers
  readonly client: AgentContext
  readonly notify: (update: SessionUpdate) => Promise<void>
}

/** Tool servers that the editor hands over with a session. */
export interface SessionServers {
  /** Starts the servers that the user has allowed, and reports which ones cannot be started. */
  begin(): Promise<void>
  /** Starts them, too, and asks about servers without a decision. `cancelled` ends the questions. */
  settle(cancelled: AbortSignal): Promise<void>
  close(): Promise<void>
}

const noServers: SessionServers = {
  begin: () => Promise.resolve(),
  settle: () => Promise.resolve(),
  close: () => Promise.resolve(),
}

export function createSessionServers(parts: ServersParts): SessionServers {
  const { conversationId, given, servers, client, notify } = parts
  if (given.length === 0) return noServers
  const offered = given.flatMap((server) => ('command' in server ? [editorServer(server)] : []))
  const elsewhere = given.flatMap((server) => ('command' in server ? [] : [server.name]))
  /** Hashes of servers that the client could not be asked about. */
  const unanswered = new Set<string>()
  let said = ''
  let isClosed = false
  let running: Promise<void> = Promise.resolve()

  async function look(): Promise<readonly OfferedServer[]> {
    const offer = await servers.offer(conversationId, offered)
    if (isClosed) await servers.withdraw(conversationId)
    const notice = noticeOf(offer, { offered, elsewhere })
    if (notice !== said && notice !== '') await notify(textUpdate(notice))
    said = notice
    return offer.kind === 'refused' ? [] : offer.servers
  }

  async function ask(server: OfferedServer, cancelled: AbortSignal): Promise<void> {
    await notify({ sessionUpdate: 'tool_call', ...startOfServer(server) })
    const options = { cancellationSignal: cancelled, stopWaitingOnCancel: true }
    const question = questionAbout(conversationId, server)
    const verdict = await client
      .request(methods.client.session.requestPermission, question, options)
      .then(verdictOf, () => {
        if (!cancelled.aborted) unanswered.add(server.hash)
        return null
      })
    if (verdict !== null && !isClosed) await servers.decide(conversationId, server, verdict)
    await notify({ sessionUpdate: 'tool_call_update', ...endOfStart(server, verdict) })
  }

  /** Runs one look after the other: two prompts must not ask twice. */
  function inOrder(work: () => Promise<void>): Promise<void> {
    running = running.then(work, work)
    return running
  }

  return {
    begin: () => inOrder(async () => void (await look())),
    settle: (cancelled) =>
      inOrder(async () => {
        const asked = new Set(unanswered)
        // Looked at anew after each answer, which may be about another one, too.
        for (let next = openIn(await look(), asked); next !== undefined; next = openIn(await look(), asked)) {
          if (cancelled.aborted) return
          asked.add(next.hash)
          await ask(next, cancelled)
        }
      }),
    async close() {
      isClosed = true
      await servers.withdraw(conversationId)
    },
  }
}

function openIn(servers: readonly OfferedServer[], asked: ReadonlySet<string>): OfferedServer | undefined {
  return servers.find(({ state, hash }) => state === 'open' && !asked.has(hash))
}

function editorServer({ name, command, args, env }: Extract<McpServer, { command: string }>): EditorServer {
  return { name, command, args, env: Object.fromEntries(env.map((variable) => [variable.name, variable.value])) }
}

/** Returns the sentences about servers that are not started for any answer; an empty text without such servers. */
function noticeOf(
  offer: EditorServersOffer,
  { offered, elsewhere }: { readonly offered: readonly EditorServer[]; readonly elsewhere: readonly string[] },
): string {
  const named = (names: readonly string[]) => onOneLine(names.join(', '))
  const atAddresses = `parley starts those of an editor that are programs, and reaches none by its address: ${named(elsewhere)}. Set them in [mcp_servers] of config.toml.`
  const lines = [
    ...(offer.kind === 'refused' && offered.length > 0
      ? [`${named(offered.map(({ name }) => name))}: ${offer.reason}.`]
      : []),
    ...(offer.kind === 'refused' ? [] : offer.problems),
    ...(elsewhere.length === 0 ? [] : [atAddresses]),
  ]
  return lines.length === 0 ? '' : `MCP servers of the editor are not started. ${lines.join(' ')}`
}

function textUpdate(text: string): SessionUpdate {
  const content = { type: 'text' as const, text: `\n\n${text}\n\n` }
  return { sessionUpdate: 'agent_message_chunk', content, messageId: randomUUID() }
}

const idOf = ({ hash }: OfferedServer) => `editor-server-${hash.slice(0, 16)}`

/** Shows the start of a server as a call, to which the question about it belongs. */
function startOfServer(server: OfferedServer): ToolCall {
  const { name, words, folder, variables, limits } = server
  const command = joinShellWords(words)
  const lines = [
    onOneLine(command),
    `in ${onOneLine(folder)}`,
    ...(variables.length === 0 ? [] : [`with the variables ${onOneLine(variables.join(', '))}`]),
    '',
    `Limits: ${limits}.`,
    ...[...hiddenWarnings(command), ...confusableWarnings(command, { hasPrograms: true })].map(onOneLine),
    'Your answer is kept for this command in this folder.',
  ]
  return {
    toolCallId: idOf(server),
    title: `Start the MCP server “${name}” that this editor hands over`,
    kind: 'execute',
    status: 'pending',
    content: [textContent(fenced(lines.join('\n')))],
  }
}

/** Returns the update of that call with the result of the question. */
function endOfStart(server: OfferedServer, verdict: 'trusted' | 'declined' | null) {
  const said = { trusted: 'It is started.', declined: 'It is not started, in no later session either.' }
  const text = verdict === null ? 'It is not started: there was no answer.' : said[verdict]
  return {
    toolCallId: idOf(server),
    status: verdict === 'trusted' ? ('completed' as const) : ('failed' as const),
    content: [...(startOfServer(server).content ?? []), textContent(text)],
  }
}

/** Returns the question if a server may be started. Its answers are kept, which their kinds say. */
function questionAbout(sessionId: string, server: OfferedServer): RequestPermissionRequest {
  return {
    sessionId,
    toolCall: startOfServer(server),
    options: [
      { optionId: 'approved', kind: 'allow_always', name: 'Start it, also in later sessions here' },
      { optionId: 'denied', kind: 'reject_always', name: 'Never start it here' },
    ],
  }
}

/** Returns the answer; null where the client did not answer. An option that was not offered declines. */
function verdictOf({ outcome }: RequestPermissionResponse): 'trusted' | 'declined' | null {
  if (outcome.outcome === 'cancelled') return null
  return outcome.optionId === 'approved' ? 'trusted' : 'declined'
}
