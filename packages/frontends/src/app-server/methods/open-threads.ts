import { resolve } from 'node:path'
import type { Conversation } from '@parley/client'
import { withDeveloperInstructions } from '@parley/engine/instructions'
import { openingOverrides, settingsShape } from '../shapes/settings.ts'
import { usageShape } from '../shapes/turn.ts'
import { allTurns, turnShapes } from '../threads/read-turns.ts'
import type { AppSession, OpenThread } from '../threads/session.ts'
import { codexError } from '../wire/codex-error.ts'
import { type CodexParams, codexParams } from '../wire/params.ts'
import { type AppMethod, method } from './method.ts'

/** Methods that open a thread: each answers with the thread and its settings. */
export const openMethods: Readonly<Record<string, AppMethod>> = {
  'thread/start': method(codexParams.threadStart, async (session, params, context) => {
    const conversation = await startConversation(session, params)
    const thread = await session.follow(conversation, params.ephemeral === true)
    context.afterReply(() => {
      session.notify('thread/started', { thread: session.shape(thread) })
      tellWarnings(session, conversation, params.config ?? {})
    })
    return opened(session, thread)
  }),
  'thread/resume': method(codexParams.threadResume, async (session, params, context) => {
    const { threadId, cwd } = params
    const overrides = { ...openingOverrides(params), ...(cwd == null ? {} : { cwd: resolve(cwd) }) }
    const hasOverrides = Object.keys(overrides).length > 0
    const open = session.find(threadId)
    if (hasOverrides && open !== null)
      await session.parts.limits.assertOverrides(overrides, open.conversation.state.core.settings)
    const conversation = await session.resume(threadId, hasOverrides ? { overrides } : {})
    const release = session.hold()
    const thread = await session.follow(conversation).finally(() => context.afterReply(release))
    context.afterReply(() => tellUsage(session, conversation))
    return {
      ...(await opened(session, thread, params.excludeTurns === true ? 'none' : 'all')),
      collaborationMode: null,
    }
  }),
  'thread/fork': method(codexParams.threadFork, async (session, params, context) => {
    const at = await forkPoint(session, params)
    const parley = await session.parley()
    const forked = await parley.fork(params.threadId, at)
    const overrides = openingOverrides(params)
    const { id } = forked
    const conversation = Object.keys(overrides).length === 0 ? forked : await session.resume(id, { overrides })
    const thread = await session.follow(conversation)
    context.afterReply(() => session.notify('thread/started', { thread: session.shape(thread) }))
    return opened(session, thread, params.excludeTurns === true ? 'none' : 'all')
  }),
}

async function startConversation(session: AppSession, params: CodexParams<'threadStart'>): Promise<Conversation> {
  const { cwd, ephemeral, baseInstructions, developerInstructions } = params
  const overrides = openingOverrides(params)
  const instructions = withDeveloperInstructions(baseInstructions ?? undefined, developerInstructions ?? undefined)
  session.parts.limits.assertConfig(overrides.config)
  return (await session.parley()).create({
    ...overrides,
    cwd: resolve(cwd ?? '.'),
    ...(ephemeral === true ? { ephemeral } : {}),
    ...(instructions === undefined ? {} : { baseInstructions: instructions }),
  })
}

/** Reports the usage of a resumed thread, unless it has no answer yet. */
function tellUsage(session: AppSession, { id: threadId, state: { core } }: Conversation): void {
  const { usage, turn, lastTurn } = core
  const turnId = turn?.id ?? lastTurn?.id
  if (turnId === undefined || usage.last === null) return
  session.notify('thread/tokenUsage/updated', { threadId, ...usageShape(turnId, { ...usage, last: usage.last }) })
}

/** Passes on the engine's warnings, and warns that servers of a client are not started. */
function tellWarnings(
  session: AppSession,
  { id, summary }: Conversation,
  config: Readonly<Record<string, unknown>>,
): void {
  for (const message of summary.warnings) session.notify('warning', { threadId: id, message })
  const { mcp_servers: servers } = config
  if (typeof servers !== 'object' || servers === null || Object.keys(servers).length === 0) return
  const message = `MCP servers of a client are not started: ${Object.keys(servers).join(', ')}. Set them in [mcp_servers] of config.toml.`
  session.notify('warning', { threadId: id, message })
}

async function opened(session: AppSession, thread: OpenThread, turnsOf: 'all' | 'none' | 'new' = 'new') {
  const { conversation } = thread
  const { core } = conversation.state
  const { id: conversationId, summary } = conversation
  const source = { parley: await session.parley(), conversationId, cwd: core.meta.cwd }
  const turns = turnsOf === 'all' && core.seq > 0 ? await turnShapes(source, await allTurns(source), 'full') : []
  return {
    thread: session.shape(thread, turns),
    ...settingsShape(core.settings, core.meta.cwd, summary.instructionFiles),
    ...(turnsOf === 'new' ? {} : backwardsCursors(core.seq)),
  }
}

/** Returns where the pages of a thread's turns and items begin, newest first; null for a thread without any. */
function backwardsCursors(lastSeq: number) {
  const cursor = lastSeq === 0 ? null : String(lastSeq + 1)
  return { turnsBackwardsCursor: cursor, itemsBackwardsCursor: cursor }
}

/**
 * Returns the seq of the last event to take over: the end of a turn, or the event before a turn; undefined for all
 * events.
 */
async function forkPoint(
  session: AppSession,
  { threadId, lastTurnId, beforeTurnId }: CodexParams<'threadFork'>,
): Promise<number | undefined> {
  const turnId = lastTurnId ?? beforeTurnId
  if (turnId == null) return undefined
  const parley = await session.parley()
  const turns = await allTurns({ parley, conversationId: threadId })
  const turn = turns.find((one) => one.turnId === turnId)
  if (turn === undefined) throw codexError(`turn not found: ${turnId}`)
  if (lastTurnId == null) return turn.startSeq - 1
  return turn.endSeq ?? undefined
}
