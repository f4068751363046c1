import type { ApprovalAnswer } from '@parley/client'
import type { ApprovalDecision, ApprovalRequest, Enforcement, Mode } from '@parley/protocol'
import { typedCommand } from '@parley/protocol/calls'
import {
  describeQuestion,
  type QuestionWords,
  questionText,
  runsNothing,
  uncheckedWords,
} from '@parley/protocol/question'
import { asSentence, isRecord, joinShellWords } from '@parley/text'
import { answersIn } from '../../codex-events/approvals.ts'
import { askedFields, formDecision, formSchema } from '../../codex-events/form-schema.ts'

interface Asker {
  readonly threadId: string
  readonly enforcement: Enforcement
  readonly startedAtMs: number
  /** Modes that the client may answer a plan with. */
  readonly modes: readonly Mode[]
}

/** Returns the request to the client for an approval. Everything but patches and forms is asked as a command, the only other kind. */
export function approvalRequestOf(
  approval: ApprovalRequest,
  { threadId, enforcement, startedAtMs, modes }: Asker,
): { readonly method: string; readonly params: Readonly<Record<string, unknown>> } {
  const { kind, itemId, turnId, cwd, command, title, decisions } = approval
  const common = { threadId, turnId, itemId, startedAtMs }
  const words = describeQuestion(approval, enforcement)
  if (runsNothing(kind)) {
    const message = questionText(words, kind)
    return {
      method: 'mcpServer/elicitation/request',
      params: {
        threadId,
        turnId,
        serverName: kind === 'elicitation' ? 'mcp' : 'parley',
        mode: 'form',
        message,
        requestedSchema: formSchema(askedFields({ approval, modes })),
      },
    }
  }
  const reason = reasonText(words)
  if (kind === 'patch')
    return { method: 'item/fileChange/requestApproval', params: { ...common, reason, grantRoot: null } }
  const typed = command === undefined ? title : joinShellWords(command)
  return {
    method: 'item/commandExecution/requestApproval',
    params: {
      kind: 'command',
      ...common,
      environmentId: 'local',
      reason,
      command: typed,
      cwd,
      commandActions: [{ type: 'unknown', command: command === undefined ? title : typedCommand(command) }],
      availableDecisions: offeredDecisions(decisions),
    },
  }
}

/**
 * Returns the parts of a question that clients have no place for: the request, warnings, reason, limits, the model's
 * words.
 */
function reasonText(words: QuestionWords): string {
  const { asks, warnings, reason, limits, background, variables, justification, again, session } = words
  const sentences = [
    ...warnings,
    reason === '' ? null : `Asked because ${reason}.`,
    `Limits: ${limits.map(({ text }) => text).join(', ')}.`,
    background,
    variables === null ? null : `It runs ${variables}.`,
    justification === null ? null : asSentence(`And ${uncheckedWords}${justification}`),
    again,
    session,
  ]
  return [asks, ...sentences.filter((sentence) => sentence !== null)].join(' ')
}

/** Decisions by their names in Codex, in the order of the offer. */
const names: readonly (readonly [ApprovalDecision, string])[] = [
  ['approved', 'accept'],
  ['approvedForSession', 'acceptForSession'],
  ['denied', 'decline'],
  ['abort', 'cancel'],
]

function offeredDecisions(decisions: readonly ApprovalDecision[]): readonly string[] {
  return names.flatMap(([decision, name]) => (decisions.includes(decision) ? [name] : []))
}

/** Reads the answer of a client. Anything but an explicit yes that was offered denies. */
export function answerIn(
  result: unknown,
  approval: ApprovalRequest,
  modes: readonly Mode[],
): NonNullable<ApprovalAnswer> {
  if (!isRecord(result)) return 'denied'
  const { kind, decisions } = approval
  if (runsNothing(kind)) return formAnswer(result, { approval, modes })
  const decision = names.find(([, name]) => name === result['decision'])?.[0]
  if (decision === undefined) return 'denied'
  if (decisions.includes(decision)) return decision
  return decision === 'approvedForSession' ? 'approved' : 'denied'
}

function formAnswer(
  { action, content }: Readonly<Record<string, unknown>>,
  asked: Parameters<typeof formDecision>[0],
): NonNullable<ApprovalAnswer> {
  if (action === 'cancel') return 'abort'
  if (action !== 'accept') return 'denied'
  return formDecision(asked, isRecord(content) ? answersIn(content) : {})
}
