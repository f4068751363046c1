import type { ApprovalRequest, ConversationId, Enforcement, Item } from '@parley/protocol'
import { describeQuestion, questionText } from '@parley/protocol/question'
import { joinShellWords } from '@parley/text'
import { questionOf } from './approvals.ts'
import { parsedCommand } from './call-messages.ts'
import { formSchema, type RequestedSchema } from './form-schema.ts'

/** Call that asks, as the client numbers it. */
interface Asker {
  /** Id of the `tools/call`; null when the approval was found pending. */
  readonly requestId: string | number | null
  readonly conversationId: ConversationId
  /** Enforcement of the sandbox in which the call would run. */
  readonly enforcement: Enforcement
}

/** Parameters of `elicitation/create`: a form, and fields that Codex clients show in a better way. */
type ElicitationParams = {
  readonly message: string
  readonly requestedSchema: RequestedSchema
  readonly [key: string]: unknown
}

export function elicitationFor(approval: ApprovalRequest, item: Item | null, asker: Asker): ElicitationParams {
  const question = questionOf(approval, item)
  const { conversationId, requestId, enforcement } = asker
  const typed = approval.command === undefined ? '' : joinShellWords(approval.command)
  const message = questionText(describeQuestion(approval, enforcement), approval.kind, typed)
  if (question.kind === 'form')
    return { message, requestedSchema: formSchema(approval.form?.fields ?? []), threadId: conversationId }
  const common = {
    requestedSchema: { type: 'object', properties: {} },
    threadId: conversationId,
    codex_mcp_tool_call_id: requestId === null ? '' : String(requestId),
    codex_event_id: approval.turnId,
    codex_call_id: question.call_id,
  } as const
  if (question.kind === 'patch') {
    return {
      message,
      ...common,
      codex_elicitation: 'patch-approval',
      codex_changes: question.changes,
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
