import { type ConversationStore, openConversationStore } from '@parley/client'
import type { ConversationState, ConversationSummary } from '@parley/protocol'
import { type Connection, connect } from '../cli/connect.ts'
import type { Launch } from '../main.ts'
import { count } from '../view/clip-rows.ts'
import type { Said } from '../view/said.ts'
import { shortPath } from '../view/short-path.ts'

/** The conversation on the screen and the connection it comes by. */
export interface Session {
  readonly connection: Connection
  readonly summary: ConversationSummary
  readonly store: ConversationStore
}

/** How long a server may take to save and leave before it is left to do so alone. */
const farewellMs = 2_000

export const clientName = 'parley'

export function link(
  launch: Launch,
  onNotice: (message: string, level: 'info' | 'warning' | 'error') => void,
): Promise<Connection> {
  return connect(launch, {
    canApprove: true,
    clientName,
    onNotice: ({ message, level }) => onNotice(message, level),
  })
}

/** What is on the screen already keeps its store: a client has one stream of a conversation, closed with either store. */
export async function openSession(
  connection: Connection,
  summary: ConversationSummary,
  before: Session | null,
): Promise<Session> {
  if (before?.connection === connection && before.store.conversationId === summary.conversationId) {
    await before.store.refresh()
    return { connection, summary, store: before.store }
  }
  return { connection, summary, store: await openConversationStore(connection.client, summary.conversationId) }
}

/** What is said where a conversation begins on the screen. */
export function greeting({ summary }: Session, version: string, homeFolder: string): readonly Said[] {
  const { cwd, instructionFiles, warnings, recovered, forkedFrom } = summary
  const facts = [
    shortPath(cwd, homeFolder),
    ...instructionFiles.map((path) => shortPath(path, homeFolder)).map((path) => path.split('/').slice(-2).join('/')),
    ...(forkedFrom === null ? [] : [`a copy of ${forkedFrom.id.slice(-8)}`]),
  ]
  return [
    { kind: 'greeting', program: `parley ${version}`, facts },
    ...warnings.map((text): Said => ({ kind: 'note', level: 'warning', text })),
    ...(recovered === null ? [] : [{ kind: 'note', level: 'warning', text: recovered } as const]),
  ]
}

export function earlierNote(itemCount: number): readonly Said[] {
  if (itemCount <= 0) return []
  return [{ kind: 'note', level: 'info', text: `… ${count(itemCount)} earlier ${itemCount === 1 ? 'item' : 'items'}` }]
}

/** Whether there is a log that `resume` would find. */
export function isResumable({ summary, store }: Session, ephemeral: boolean): boolean {
  return !ephemeral && !summary.readOnly && store.state.core.seq > 0
}

/** Lets the server save and leave, but does not wait for one that hangs. */
export async function sayFarewell(connection: Connection): Promise<void> {
  const timer = Promise.withResolvers<void>()
  const timeout = setTimeout(timer.resolve, farewellMs)
  await Promise.race([connection[Symbol.asyncDispose](), timer.promise])
  clearTimeout(timeout)
}

/** The branch as the model was told it, which is what the conversation works with. */
export async function readBranch(
  { connection, summary }: Session,
  context: ConversationState['core']['context'],
): Promise<string | null> {
  if (context === null) return null
  const { conversationId } = summary
  const { base64 } = await connection.client.request('conversation/readFile', {
    conversationId,
    file: context.environment,
  })
  return /^Git branch: (.+)$/m.exec(Buffer.from(base64, 'base64').toString('utf8'))?.[1] ?? null
}
