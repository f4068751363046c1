import type { ApprovalRequest, Enforcement, FormField, Item } from '@parley/protocol'
import { showHidden } from '@parley/protocol/question'
import { questionOf } from './approval-messages.ts'
import { commandMessage, formMessage, patchMessage } from './question-message.ts'
import { parsedCommand } from './shell-words.ts'

/** Which call asks, as the client numbers them. */
export interface Asker {
  /** Of the `tools/call`; null when the question was found waiting. */
  readonly requestId: string | number | null
  readonly conversationId: string
  /** How far limits are enforced where the call would run. */
  readonly enforcement: Enforcement
}

interface RequestedSchema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, unknown>>
  readonly required?: readonly string[]
}

/** Parameters of `elicitation/create`: a form without fields, and beside it what a client that knows us can show better. */
export type ElicitationParams = {
  readonly message: string
  readonly requestedSchema: RequestedSchema
  readonly [key: string]: unknown
}

export function elicitationFor(approval: ApprovalRequest, item: Item | null, asker: Asker): ElicitationParams {
  const question = questionOf(approval, item)
  const { conversationId, requestId, enforcement } = asker
  if (question.kind === 'form') {
    const requestedSchema = schemaOf(approval.form?.fields ?? [])
    return { message: formMessage(approval), requestedSchema, threadId: conversationId }
  }
  const common = {
    requestedSchema: { type: 'object', properties: {} },
    threadId: conversationId,
    codex_mcp_tool_call_id: requestId === null ? '' : String(requestId),
    codex_event_id: approval.turnId,
    codex_call_id: question.call_id,
  } as const
  if (question.kind === 'patch') {
    return {
      message: patchMessage(approval, enforcement),
      ...common,
      codex_elicitation: 'patch-approval',
      codex_changes: question.changes,
      ...(question.reason === undefined ? {} : { codex_reason: question.reason }),
    }
  }
  return {
    message: commandMessage(approval, question.command, enforcement),
    ...common,
    codex_elicitation: 'exec-approval',
    codex_command: question.command,
    codex_cwd: question.cwd,
    codex_parsed_cmd: parsedCommand(question.command),
    ...(question.reason === undefined ? {} : { codex_reason: question.reason }),
  }
}

function schemaOf(fields: readonly FormField[]): RequestedSchema {
  const required = fields.filter((field) => field.required).map(({ name }) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, propertyOf(field)])),
    ...(required.length === 0 ? {} : { required }),
  }
}

function propertyOf({ type, title, description, choices = [], default: preset }: FormField): Record<string, unknown> {
  const shown = {
    title: showHidden(title),
    ...(description === undefined ? {} : { description: showHidden(description) }),
    ...(preset === undefined ? {} : { default: preset }),
  }
  if (type !== 'choice') return { type, ...shown }
  return {
    type: 'string',
    ...shown,
    enum: choices.map(({ value }) => value),
    enumNames: choices.map((one) => showHidden(one.title)),
  }
}
