import type { ApprovalRequest, ConversationId, Enforcement, FormField, Item } from '@parley/protocol'
import {
  againWords,
  backgroundWords,
  collapseBlanks,
  fileWords,
  hiddenWarnings,
  limitWords,
  onOneLine,
  showHidden,
  uncheckedWords,
} from '@parley/protocol/question'
import { questionOf } from './approvals.ts'
import { parsedCommand, readDiffs, shellJoined } from './call-messages.ts'

/** Call that asks, as the client numbers it. */
interface Asker {
  /** Id of the `tools/call`; null when the approval was found pending. */
  readonly requestId: string | number | null
  readonly conversationId: ConversationId
  /** Enforcement of the sandbox in which the call would run. */
  readonly enforcement: Enforcement
}

interface RequestedSchema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, unknown>>
  readonly required?: readonly string[]
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

/**
 * Returns the whole question as text. Only lines of parley start at the margin; those of commands are indented and
 * those of diffs have marks. Invisible characters are shown by their numbers.
 */
function commandMessage(approval: ApprovalRequest, command: readonly string[], enforcement: Enforcement): string {
  const words = shellJoined(command)
  const shown = showHidden(collapseBlanks(words)).replaceAll('\n', '\n    ')
  const { cwd, environment, reason } = approval
  const where = environment === undefined ? '' : ` on ${onOneLine(environment)}`
  return [
    `Allow parley to run \`${shown}\` in \`${onOneLine(cwd)}\`${where}?`,
    ...hiddenWarnings(words).map((warning) => `! ${warning}`),
    limitsLine(approval, enforcement),
    ...(approval.background === true ? [`It runs ${backgroundWords}.`] : []),
    ...(reason === '' ? [] : [`Asked because: ${onOneLine(reason)}`]),
    ...(approval.attempt === undefined ? [] : [againWords]),
    ...(approval.justification === undefined ? [] : [`${uncheckedWords}“${onOneLine(approval.justification)}”`]),
  ].join('\n')
}

/** Returns the question about a patch: all files, then every line of its diffs. */
function patchMessage(approval: ApprovalRequest, enforcement: Enforcement): string {
  const { reason, detail, cwd, files = readDiffs(detail) } = approval
  const where = approval.environment === undefined ? '' : ` on ${onOneLine(approval.environment)}`
  return [
    ...(reason === '' ? [] : [onOneLine(reason)]),
    'Allow parley to apply proposed code changes?',
    ...files.map(fileWords),
    `Paths are relative to \`${onOneLine(cwd)}\`${where}.`,
    limitsLine(approval, enforcement),
    ...hiddenWarnings(detail).map((warning) => `! ${warning}`),
    '',
    showHidden(detail).trimEnd(),
  ].join('\n')
}

/** Returns the question of an MCP server in the server's words. */
function formMessage({ title, detail }: ApprovalRequest): string {
  return showHidden(`${title}\n${detail}`.trim())
}

function limitsLine(approval: ApprovalRequest, enforcement: Enforcement): string {
  const words = limitWords(approval, enforcement).map(({ text }) => text)
  return `Limits: ${words.join(' · ')}`
}
