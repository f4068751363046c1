import * as z from 'zod'
import { baseInstructions } from '../../../core/instructions.ts'
import { answered, failed, messageOf } from '../tool-result.ts'
import type { Desk } from '../turns/desk.ts'
import { runErrand } from './run-errand.ts'
import { sessionConfigured } from './session-configured.ts'
import {
  approvalPolicyInput,
  configInput,
  modelInput,
  profileInput,
  sandboxInput,
  startParams,
} from './settings-input.ts'
import { defineMcpTool, type McpTool, type ToolCall } from './tool.ts'

const input = z.object({
  prompt: z.string().describe('The first message of the conversation.'),
  model: modelInput,
  profile: profileInput,
  cwd: z.string().optional().describe("Folder to work in. If relative, it counts from the server's own."),
  'approval-policy': approvalPolicyInput,
  sandbox: sandboxInput,
  config: configInput,
  'base-instructions': z.string().optional().describe('Instructions to the model in place of the built-in ones.'),
  'developer-instructions': z.string().optional().describe('Instructions to the model after the base ones.'),
  'compact-prompt': z.string().optional().describe('Accepted and not used: nothing is compacted in this version.'),
  'include-plan-tool': z.boolean().optional().describe('Accepted and not used: the plan tool is always there.'),
})

type Input = z.infer<typeof input>

export const answerOutput = z.object({
  conversationId: z.string().describe('For the next message.'),
  threadId: z.string().describe('The same id, under its other name.'),
  content: z.string().describe('The last message of the agent.'),
})

/** Under both names: one that clients of Codex know, and our own. */
export function startTool(name: 'codex' | 'parley'): McpTool {
  return defineMcpTool({
    name,
    title: name === 'codex' ? 'Codex' : 'Parley',
    description:
      'Runs a coding agent on a prompt in a new conversation and answers with its last message. It may run commands and change files in cwd; what needs a yes is asked by elicitation.',
    input,
    output: answerOutput,
    refuse: failed,
    run: start,
  })
}

async function start(args: Input, call: ToolCall) {
  const { session } = call
  let desk: Desk | null = null
  try {
    const created = await session.create(
      startParams({
        cwd: args.cwd,
        model: args.model,
        profile: args.profile,
        approvalPolicy: args['approval-policy'],
        sandbox: args.sandbox,
        config: args.config,
        baseInstructions: instructionsOf(args),
      }),
    )
    desk = created.desk
    introduce(desk, call)
    for (const message of [...created.warnings, ...unusedIn(args)]) remark(desk, message, call)
    return await runErrand(desk, args.prompt, call)
  } catch (error) {
    return desk === null ? failed(messageOf(error)) : answered(desk.conversationId, messageOf(error), true)
  }
}

/** The engine knows one text of instructions; AGENTS.md files follow it. */
function instructionsOf(args: Input): string | undefined {
  const base = args['base-instructions']
  const developer = args['developer-instructions']
  return developer === undefined ? base : `${(base ?? baseInstructions).trim()}\n\n${developer.trim()}`
}

function unusedIn(args: Input): readonly string[] {
  return [
    ...(args['compact-prompt'] === undefined
      ? []
      : ['compact-prompt is not used: nothing is compacted in this version.']),
    ...(args['include-plan-tool'] === false ? ['include-plan-tool is not used: the plan tool is always there.'] : []),
  ]
}

/** What a client has to know of a conversation before it is told of its turns. */
export function introduce(desk: Desk, { session, requestId }: ToolCall): void {
  const { conversationId, store } = desk
  const _meta = { requestId, threadId: conversationId }
  session.notify('codex/event', { _meta, id: '', msg: sessionConfigured(store.state, session.home) }, requestId)
}

function remark(desk: Desk, message: string, { session, requestId }: ToolCall): void {
  session.tell({ requestId, threadId: desk.conversationId, eventId: '' }, { type: 'background_event', message })
}
