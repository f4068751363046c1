import {
  type ApprovalRequest,
  type ConversationId,
  type Enforcement,
  type Item,
  type Mode,
  shortIdOf,
} from '@parley/protocol'
import { describeQuestion, planModes, questionText } from '@parley/protocol/question'
import { joinShellWords } from '@parley/text'
import { questionOf } from './approvals.ts'
import { parsedCommand } from './call-messages.ts'
import { askedFields, formSchema, type RequestedSchema } from './form-schema.ts'

/** Name under which a client calls the agent. */
export type AgentName = 'Codex' | 'parley'

/** Call that asks, as the client numbers it. */
interface Asker {
  /** Name under which the client called it: `Codex` for the tools of that name. */
  readonly agent: AgentName
  /** Id of the `tools/call` that is asked for. */
  readonly callId: string | number
  readonly conversationId: ConversationId
  /** Enforcement of the sandbox that the call would run in. */
  readonly enforcement: Enforcement
  /** Folder that a yes for the session opens for writing. */
  readonly grantRoot: string | null
  /** Modes that the client may answer a plan with. */
  readonly modes: readonly Mode[]
}

/** Parameters of `elicitation/create`: a form, and fields that Codex clients show in a better way. */
type ElicitationParams = {
  readonly message: string
  readonly requestedSchema: RequestedSchema
  readonly [key: string]: unknown
}

export function elicitationFor(approval: ApprovalRequest, item: Item | null, asker: Asker): ElicitationParams {
  const question = questionOf(approval, item)
  const { agent, callId, conversationId, enforcement, grantRoot, modes } = asker
  const typed = approval.command === undefined ? '' : joinShellWords(approval.command)
  const message = questionText(describeQuestion(approval, enforcement), approval.kind, { typed, agent, grantRoot })
  if (question.kind === 'form') {
    const isBegunElsewhere = modes.length < planModes(approval).length
    const text = isBegunElsewhere ? `${message}\n${elsewhere(conversationId)}` : message
    const requestedSchema = formSchema(askedFields({ approval, modes }))
    return { message: text, requestedSchema, threadId: conversationId }
  }
  const common = {
    requestedSchema: { type: 'object', properties: {} },
    threadId: conversationId,
    codex_mcp_tool_call_id: String(callId),
    codex_event_id: approval.turnId,
    codex_call_id: question.call_id,
  } as const
  if (question.kind === 'patch') {
    return {
      message,
      ...common,
      codex_elicitation: 'patch-approval',
      codex_changes: question.changes,
      ...(grantRoot === null ? {} : { codex_grant_root: grantRoot }),
      ...(question.reason === undefined ? {} : { codex_reason: question.reason }),
    }
  }
  return {
    message,
    ...common,
    codex_elicitation: 'exec-approval',
    codex_command: question.command,
    codex_cwd: question.cwd,
    codex_parsed_cmd: parsedCommand(question.command),
    ...(question.reason === undefined ? {} : { codex_reason: question.reason }),
  }
}

/** Says where the work by a plan begins that this client may not begin. */
function elsewhere(conversationId: ConversationId): string {
  return `Here it can only be sent back, with a note. The work is begun in a terminal: parley attach ${shortIdOf(conversationId)}`
}
