import {
  type AgentContext,
  type ClientCapabilities,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  type ElicitationPropertySchema,
  methods,
} from '@agentclientprotocol/sdk'
import { type ApprovalAnswer, type Conversation, codeOf } from '@parley/client'
import type { Answers, Approval, FormField, SandboxMode } from '@parley/protocol'
import { describeQuestion, onOneLine, planModes, questionText } from '@parley/protocol/question'
import { isRecord } from '@parley/text'
import { answersIn } from '../../codex-events/approvals.ts'
import { formSchema } from '../../codex-events/form-schema.ts'
import { changedTexts } from '../updates/conversation-updates.ts'
import { answerOf, permissionRequest } from './permission.ts'

export interface AskPorts {
  readonly conversation: Conversation
  readonly client: AgentContext
  readonly capabilities: ClientCapabilities
  /** Aborts when the question is settled otherwise. */
  readonly signal: AbortSignal
  /** Loosest sandbox mode that the client may choose. */
  readonly ceiling: SandboxMode
}

/** Asks a client: with a form where the question has fields and the client shows forms, else with choices, as a plan. */
export function askClient(approval: Approval, ports: AskPorts): Promise<ApprovalAnswer> {
  const hasFields = approval.kind !== 'plan' && (approval.form?.fields.length ?? 0) > 0
  const showsForms = ports.capabilities.elicitation?.form != null
  return hasFields && showsForms ? askForm(approval, ports, null) : askChoice(approval, ports)
}

async function askChoice(
  approval: Approval,
  { conversation, client, signal, ceiling }: AskPorts,
): Promise<ApprovalAnswer> {
  const { open, settings } = conversation.state.core
  const item = open[approval.itemId]?.item ?? null
  const files = await changedTexts(conversation, item)
  const { enforcement } = settings
  const modes = planModes(approval, ceiling)
  const params = permissionRequest({ sessionId: conversation.id, approval, item, files, enforcement, modes })
  const options = { cancellationSignal: signal, stopWaitingOnCancel: true }
  return answerOf(await client.request(methods.client.session.requestPermission, params, options), { approval, modes })
}

/** Shows the form again, with the reason, when the server rejects its answers. */
async function askForm(approval: Approval, ports: AskPorts, problem: string | null): Promise<ApprovalAnswer> {
  const { conversation, client, signal } = ports
  const options = { cancellationSignal: signal, stopWaitingOnCancel: true }
  const answer = formAnswer(
    await client.request(methods.client.elicitation.create, formRequest(approval, ports, problem), options),
  )
  if (typeof answer === 'string') return answer
  try {
    await conversation.decide(approval.id, answer)
    return null
  } catch (error) {
    if (codeOf(error) !== 'invalidParams' || !(error instanceof Error)) throw error
    return askForm(approval, ports, error.message)
  }
}

function formRequest(approval: Approval, { conversation }: AskPorts, problem: string | null): CreateElicitationRequest {
  const words = describeQuestion(approval, conversation.state.core.settings.enforcement)
  const text = questionText(words, approval.kind)
  const fields = approval.form?.fields ?? []
  const { required = [] } = formSchema(fields)
  return {
    mode: 'form',
    sessionId: conversation.id,
    toolCallId: approval.itemId,
    message: problem === null ? text : `${onOneLine(problem)}\n\n${text}`,
    requestedSchema: {
      type: 'object',
      properties: Object.fromEntries(fields.map((field) => [field.name, propertyOf(field)])),
      required: [...required],
    },
  }
}

/** Returns a field as ACP has it: one of several choices with titles instead of MCP's parallel lists. */
function propertyOf(field: FormField): ElicitationPropertySchema {
  const property = formSchema([field]).properties[field.name]
  const { enum: _values, enumNames: _titles, ...shown } = isRecord(property) ? property : {}
  const titled = (field.choices ?? []).map(({ value, title }) => ({ const: value, title: onOneLine(title) }))
  if (field.type === 'choices') return { ...shown, type: 'array', items: { anyOf: titled } }
  const format = field.format === undefined ? {} : { format: field.format }
  if (field.type !== 'choice') return { ...shown, type: field.type, ...format }
  return { ...shown, type: 'string', oneOf: titled }
}

type FormAnswer = 'denied' | 'abort' | { readonly decision: 'approved'; readonly answers: Answers }

/** Returns the answers of a form that was accepted. Anything but `accept` and `cancel` declines. */
function formAnswer(response: CreateElicitationResponse): FormAnswer {
  if (response.action === 'cancel') return 'abort'
  if (response.action !== 'accept') return 'denied'
  const content = 'content' in response && isRecord(response.content) ? response.content : {}
  const filled = Object.entries(answersIn(content)).filter(([, value]) => value !== '')
  return { decision: 'approved', answers: Object.fromEntries(filled) }
}
