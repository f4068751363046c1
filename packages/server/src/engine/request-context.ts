import type { EventOf } from '@parley/protocol'
import type { ModelRequest, ToolSpec } from '../model/port.ts'
import type { Bench } from './bench.ts'
import type { Conversation } from './conversation.ts'

/** What precedes the messages of a request, as found now. */
export interface RequestContext {
  readonly instructions: string
  readonly environment: string
  readonly instructionFiles: readonly string[]
}

/** Records `context.set` when what precedes the messages is not what the log says. Called before each model call. */
export async function ensureContext(conversation: Conversation, bench: Bench): Promise<void> {
  const event = await contextEvent(conversation, bench, await bench.context(conversation))
  const known = conversation.state.core.context
  if (known === null || isChanged(known, event)) conversation.record(event)
}

async function contextEvent(
  conversation: Conversation,
  bench: Bench,
  found: RequestContext,
): Promise<EventOf<'context.set'>> {
  const contents = [found.instructions, JSON.stringify(toolSpecs(bench)), found.environment]
  const [instructions = '', tools = '', environment = ''] = await Promise.all(
    contents.map((text) => conversation.sideFiles.put(text)),
  )
  return {
    type: 'context.set',
    instructions,
    tools,
    environment,
    adapter: bench.model(conversation).client.adapter,
    instructionFiles: [...found.instructionFiles],
  }
}

function isChanged(known: Omit<EventOf<'context.set'>, 'type'>, event: EventOf<'context.set'>): boolean {
  return (
    known.instructions !== event.instructions ||
    known.tools !== event.tools ||
    known.environment !== event.environment ||
    known.adapter !== event.adapter
  )
}

function toolSpecs({ tools }: Bench): readonly ToolSpec[] {
  return tools.map(({ name, description, parameters }) => ({ name, description, parameters }))
}

/** The next model request: a function of the log and its side files alone. */
export function requestOf(conversation: Conversation, bench: Bench): ModelRequest {
  const { core } = conversation.state
  const readText = (file: string) => conversation.sideFiles.readText(file)
  return {
    model: core.settings.model,
    ...(core.settings.effort === undefined ? {} : { effort: core.settings.effort }),
    instructions: (core.context && readText(core.context.instructions)) ?? '',
    tools: toolSpecs(bench),
    entries: conversation.view.entries(readText),
    cacheKey: core.meta.conversationId,
  }
}
