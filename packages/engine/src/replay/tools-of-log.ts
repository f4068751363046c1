import type { Files } from '@parley/journal'
import type { Redaction } from '@parley/redaction'
import { withMembers } from '@parley/workspace'
import type { Conversation } from '../conversation/conversation.ts'
import type { Clock } from '../ports/clock-and-ids.ts'
import type { ToolPorts } from '../tools/contract/define-tool.ts'
import { noSkills } from '../tools/contract/skill-source.ts'
import type { Tool } from '../tools/contract/tool.ts'
import { mcpSpecsIn, mcpTool } from '../tools/mcp/mcp-tool.ts'
import { resourceTools } from '../tools/mcp/resource-tools.ts'
import { createTools } from '../tools/registry.ts'
import type { Recording } from './log/read-recording.ts'
import { noBackground } from './ports/inert-ports.ts'

export interface ReplayPorts {
  readonly files: Files
  readonly home: string
  /** Ports that tools understand calls with; a replay reads no file and starts nothing with them. */
  readonly tools: Pick<ToolPorts, 'environment' | 'shellParser'>
}

interface ToolSources {
  readonly recording: Recording
  readonly redaction: Redaction
  readonly clock: Clock
}

/** Returns the built-in tools of the program that wrote the log, as far as a rejected call names them. */
export function toolsThen(sources: ToolSources, ports: ReplayPorts): readonly Tool[] {
  const tools = createTools(toolPorts(sources, ports))
  for (const { event } of sources.recording.events) {
    if (event.type !== 'item.completed' || event.item.type !== 'toolCall') continue
    const { knownTools } = event.item
    if (knownTools !== undefined) return tools.filter(({ name }) => knownTools.includes(name))
  }
  return tools
}

/** Returns a function to the tools that a call may name: our own, and those that the log says were offered. */
export function toolsByFile(conversation: Conversation, own: readonly Tool[], replayed: (tool: Tool) => Tool) {
  const ownTools = own.map(replayed)
  let known: { readonly file: string | undefined; readonly tools: readonly Tool[] } = { file: '', tools: [] }
  return () => {
    const file = conversation.state.core.context?.tools
    if (file === known.file) return known.tools
    const text = file === undefined ? null : conversation.sideFiles.readText(file)
    const offered = resourceTools([]).filter(({ name }) => text?.includes(`"name":"${name}"`) === true)
    const foreign = [...offered, ...mcpSpecsIn(text).map((spec) => mcpTool(spec, []))]
    known = { file, tools: [...ownTools, ...foreign.map(replayed)] }
    return known.tools
  }
}

function toolPorts({ recording, redaction, clock }: ToolSources, { tools }: ReplayPorts): ToolPorts {
  const shell = shellOf(recording)
  return {
    skills: noSkills,
    editors: undefined,
    environment: shell === undefined ? tools.environment : withMembers(tools.environment, { shell }),
    background: noBackground,
    tellPrinted: () => undefined,
    shellParser: tools.shellParser,
    envRules: {},
    redaction,
    clock,
  }
}

/** Returns the shell of the machine where the log was written. */
function shellOf({ events }: Recording): string | undefined {
  for (const { event } of events)
    if (event.type === 'item.started' && event.item.type === 'commandExecution') return event.item.command[0]
  return undefined
}
