import type { ContentBlock } from '@agentclientprotocol/sdk'
import type { Conversation, Parley } from '@parley/client'
import { modeOf } from '@parley/protocol'
import { onOneLine } from '@parley/protocol/question'
import { fenced } from './updates/call-updates.ts'

interface CommandContext {
  readonly conversation: Conversation
  readonly parley: Parley
  /** Aborts when the client cancels. */
  readonly signal: AbortSignal
}

interface SlashCommand {
  readonly name: string
  readonly description: string
  /** Words that may follow the name, if any. */
  readonly hint?: string
  /** Resolves with Markdown for the client; empty where the conversation itself shows the result. */
  readonly run: (context: CommandContext, argument: string) => Promise<string>
}

/** Commands of an editor: the terminal's commands that need no screen. */
export const slashCommands: readonly SlashCommand[] = [
  {
    name: 'compact',
    description: 'make room: a summary stands for what was said so far; or undo the last one',
    hint: 'what matters to you, or undo',
    run: compact,
  },
  { name: 'context', description: "what fills the model's context window", run: describeContext },
  { name: 'fork', description: 'make a copy of this conversation, as it is now', run: fork },
  { name: 'mcp', description: 'the tool servers: state, tools, errors', run: describeServers },
  {
    name: 'rename',
    description: 'name this conversation; parley resume NAME finds it',
    hint: 'NAME',
    run: rename,
  },
  {
    name: 'repair',
    description: 'leave out what the provider refused and go on; the newest half where it named nothing; or undo that',
    hint: 'half or undo, or nothing',
    run: repair,
  },
  { name: 'status', description: 'this conversation, its settings and limits', run: describeStatus },
]

/**
 * Returns the command of a prompt; null for a message, which may begin with a path or with a command of another
 * program.
 */
export function typedCommandOf(
  prompt: readonly ContentBlock[],
): { readonly command: SlashCommand; readonly argument: string } | null {
  const [first, ...others] = prompt
  if (first?.type !== 'text' || others.length > 0) return null
  const [, name, argument = ''] = /^\/([a-z]+)(?:\s+(.*))?$/s.exec(first.text.trim()) ?? []
  const command = slashCommands.find((known) => known.name === name)
  return command === undefined ? null : { command, argument: argument.trim() }
}

async function repair(context: CommandContext, argument: string): Promise<string> {
  if (argument === 'undo') return await compact(context, 'undo')
  const { conversation, signal } = context
  const turn = await conversation.leaveOut({ ...(argument === 'half' ? { half: true } : {}), signal })
  await turn.result
  return ''
}

async function compact({ conversation, signal }: CommandContext, argument: string): Promise<string> {
  if (argument === 'undo') {
    const { tokens } = await conversation.request('conversation/compact/undo', {})
    return `What was last left out of the model's view is back: the next request has about ${tokens} tokens.`
  }
  const instructions = argument === '' ? {} : { instructions: argument }
  const events = conversation.events()
  const { turnId, itemId } = await conversation.request('conversation/compact', instructions)
  const stop = () => void conversation.interrupt(turnId).catch(() => undefined)
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  try {
    for await (const { event } of events) if (event.type === 'item.completed' && event.item.id === itemId) break
  } finally {
    signal.removeEventListener('abort', stop)
  }
  return ''
}

async function describeContext({ conversation }: CommandContext): Promise<string> {
  const { contextWindow, tokens, parts } = await conversation.request('conversation/context', {})
  const most = contextWindow === null ? '' : ` of ${contextWindow}`
  const lines = parts.map((part) => `${part.kind}: ${part.tokens} (${part.count})`)
  return fenced([`about ${tokens}${most} tokens in the next request`, ...lines].join('\n'))
}

async function fork({ conversation, parley }: CommandContext): Promise<string> {
  const copy = await parley.fork(conversation.id)
  const { shortId } = copy.summary
  await copy.close()
  return `Copied. This session goes on in the original; open the copy from the list of sessions, or with \`parley resume ${shortId}\`.`
}

async function describeServers({ parley }: CommandContext): Promise<string> {
  const { servers } = await parley.request('mcp/list', {})
  if (servers.length === 0) return 'No MCP servers are configured.'
  const lines = servers.map(({ name, state, tools, error }) => {
    const said = error === undefined ? '' : ` · ${onOneLine(error)}`
    return `${onOneLine(name)}: ${state} · ${tools.map(onOneLine).join(', ')}${said}`
  })
  return fenced(lines.join('\n'))
}

async function rename({ conversation }: CommandContext, name: string): Promise<string> {
  if (name === '') return 'Write the name behind it: `/rename NAME`.'
  await conversation.rename(name)
  return `Named ${onOneLine(name)}.`
}

async function describeStatus({ conversation }: CommandContext): Promise<string> {
  const { meta, settings, usage } = conversation.state.core
  const { model, modelProvider, effort, approvalPolicy, sandbox, enforcement } = settings
  const { inputTokens, outputTokens, costUsd } = usage.total
  const lines = [
    `conversation: ${meta.conversationId}${meta.name === null ? '' : ` (${onOneLine(meta.name)})`}`,
    `folder: ${onOneLine(meta.cwd)}`,
    `model: ${onOneLine(model)} of ${modelProvider}${effort === undefined ? '' : `, effort ${effort}`}`,
    `mode: ${modeOf(settings)} (${approvalPolicy}, ${sandbox}; enforced: ${enforcement})`,
    ...(settings.network === true ? ['network: all commands have it'] : []),
    `tokens: ${inputTokens} in, ${outputTokens} out${costUsd === undefined ? '' : `, $${costUsd.toFixed(2)}`}`,
  ]
  return fenced(lines.join('\n'))
}
