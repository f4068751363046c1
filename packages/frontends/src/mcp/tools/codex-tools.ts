import { withDeveloperInstructions } from '@parley/engine/instructions'
import { errorMessage } from '@parley/text'
import * as z from 'zod'
import type { McpConversation } from '../turns/mcp-conversation.ts'
import { runTurn, sendBackgroundEvent, sendSessionConfigured } from './codex-turn.ts'
import {
  answered,
  approvalPolicyInput,
  brokenOff,
  configInput,
  defineMcpTool,
  failed,
  type McpTool,
  modelInput,
  profileInput,
  sandboxInput,
  startParams,
  type ToolCall,
  withCodexKind,
} from './tool.ts'

const startInput = z.object({
  prompt: z.string().describe('The first message of the conversation.'),
  model: modelInput,
  profile: profileInput,
  cwd: z.string().optional().describe("Folder to work in. If relative, it counts from the server's own."),
  'approval-policy': approvalPolicyInput,
  sandbox: sandboxInput,
  config: configInput,
  'base-instructions': z.string().optional().describe('Instructions to the model in place of the built-in ones.'),
  'developer-instructions': z.string().optional().describe('Instructions to the model after the base ones.'),
  'compact-prompt': z.string().optional().describe('Request for a summary when the conversation is compacted.'),
  'include-plan-tool': z.boolean().optional().describe('Accepted and not used: the plan tool is always there.'),
})

type StartInput = z.infer<typeof startInput>

const answerOutput = z.object({
  conversationId: z.string().describe('For the next message.'),
  threadId: z.string().describe('The same id, under its other name.'),
  content: z.string().describe('The last message of the agent.'),
})

/** Defines the tool that starts a conversation, under the name of Codex clients or our own. */
export function startTool(name: 'codex' | 'parley'): McpTool {
  return defineMcpTool({
    name,
    title: name === 'codex' ? 'Codex' : 'Parley',
    description:
      'Runs a coding agent on a prompt in a new conversation and answers with its last message. It may run commands and change files in cwd; what needs a yes is asked by elicitation.',
    input: startInput,
    output: answerOutput,
    reject: failed,
    run: start,
  })
}

async function start(args: StartInput, call: ToolCall) {
  const { session, requestId } = call
  let conversation: McpConversation | null = null
  try {
    const created = await session.create(
      startParams({
        cwd: args.cwd,
        model: args.model,
        profile: args.profile,
        approvalPolicy: args['approval-policy'],
        sandbox: args.sandbox,
        config: configOf(args),
        baseInstructions: withDeveloperInstructions(args['base-instructions'], args['developer-instructions']),
      }),
      requestId,
    )
    conversation = created.conversation
    sendSessionConfigured(conversation, call)
    for (const message of [...created.warnings, ...unusedIn(args)]) sendBackgroundEvent(conversation, message, call)
    return await runTurn(conversation, args.prompt, call)
  } catch (error) {
    return conversation === null
      ? failed(withCodexKind('Failed to start Codex session', errorMessage(error), call))
      : brokenOff(conversation.conversationId, errorMessage(error), call)
  }
}

/** Returns the settings with the prompt for summaries, quoted: settings are read as TOML. */
function configOf({ config, 'compact-prompt': prompt }: StartInput): StartInput['config'] {
  return prompt === undefined ? config : { ...config, compact_prompt: JSON.stringify(prompt) }
}

function unusedIn(args: StartInput): readonly string[] {
  return args['include-plan-tool'] === false ? ['include-plan-tool is not used: the plan tool is always there.'] : []
}

const id = z.string().min(1).optional()

const replyInput = z.object({
  prompt: z.string().describe('The next message.'),
  conversationId: id.describe('The conversation, as the first call named it. One of the three ids is needed.'),
  threadId: id.describe('The same, under its other name.'),
  sessionId: id.describe('The same, under its oldest name.'),
})

export function replyTool(name: 'codex-reply' | 'parley-reply'): McpTool {
  return defineMcpTool({
    name,
    title: name === 'codex-reply' ? 'Codex Reply' : 'Parley Reply',
    description:
      'Goes on with a conversation, also one of an earlier process or one that is open elsewhere, and answers with the last message of the agent. While it works, the message waits its turn and gets its own answer.',
    input: replyInput,
    output: answerOutput,
    reject: failed,
    run: reply(name),
  })
}

function reply(name: string) {
  return async (args: z.infer<typeof replyInput>, call: ToolCall) => {
    const conversationId = args.threadId ?? args.conversationId ?? args.sessionId
    if (conversationId === undefined) return failed(`${name}: conversationId (or threadId, or sessionId) is missing.`)
    const { session, requestId } = call
    try {
      const isKnown = session.knows(conversationId)
      const conversation = await session.conversation(conversationId, requestId)
      if (!isKnown) sendSessionConfigured(conversation, call)
      return await runTurn(conversation, args.prompt, call)
    } catch (error) {
      return answered(conversationId, errorMessage(error), true)
    }
  }
}
