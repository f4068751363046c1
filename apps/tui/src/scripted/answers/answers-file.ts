import { readFileSync } from 'node:fs'
import type { ApprovalAnswer, ApprovalHandler, Conversation } from '@parley/client'
import type { Answers, Approval } from '@parley/protocol'
import { isRecord } from '@parley/text'
import { systemCause } from '../../cli/messages.ts'

/** Answers to questions of the model, by header or text of the question in lower case. */
export type GivenAnswers = ReadonlyMap<string, string | readonly string[]>

/** Reads the file of `--answers`. Returns a sentence about a file that cannot be used. */
export function readAnswersFile(path: string): GivenAnswers | { readonly problem: string } {
  const wrong = (why: string) => ({ problem: `The answers in ${path} cannot be used: ${why}.` })
  try {
    const read: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (!isRecord(read)) return wrong('a JSON object is needed, {"HEADER": "ANSWER"}')
    const given = new Map<string, string | readonly string[]>()
    for (const [question, answer] of Object.entries(read)) {
      const value = answerOf(answer)
      if (value === null) return wrong(`"${question}" has neither a text nor a list of texts`)
      given.set(keyOf(question), value)
    }
    return given
  } catch (error) {
    return wrong(error instanceof SyntaxError ? `it is no JSON (${error.message})` : systemCause(error))
  }
}

function answerOf(answer: unknown): string | readonly string[] | null {
  if (typeof answer === 'string' || typeof answer === 'number' || typeof answer === 'boolean') return String(answer)
  return Array.isArray(answer) && answer.every((one) => typeof one === 'string') ? answer : null
}

function keyOf(question: string): string {
  return question.trim().toLowerCase()
}

/** Answers a question of the model from the file, or denies it if an answer is missing; other approvals go to `otherwise`. */
export function fromFile(
  given: GivenAnswers | null,
  conversation: Pick<Conversation, 'state'>,
  otherwise: ApprovalHandler,
): ApprovalHandler {
  if (given === null) return otherwise
  return (approval, context) =>
    approval.kind === 'question' ? answerFrom(given, approval, conversation) : otherwise(approval, context)
}

function answerFrom(given: GivenAnswers, { itemId }: Approval, { state }: Pick<Conversation, 'state'>): ApprovalAnswer {
  const item = state.core.open[itemId]?.item
  const questions = item?.type === 'toolCall' ? questionsIn(item.input) : []
  const filled = questions.map((question, at) => fieldsFor(question, `q${at + 1}`, given))
  const missing = filled.find((found) => typeof found === 'string')
  if (missing === undefined && filled.length > 0)
    return { decision: 'approved', answers: Object.assign({}, ...filled.filter((found) => typeof found !== 'string')) }
  const why = missing ?? 'its questions cannot be read'
  return {
    decision: 'denied',
    note: `in this scripted run ${why}; decide by yourself and say what you assumed`,
    unattended: true,
  }
}

interface AskedQuestion {
  readonly header: string
  readonly text: string
  readonly options: readonly string[]
  readonly multiple: boolean
  readonly other: boolean
}

/** Returns the questions of a call of `ask_user`. */
function questionsIn(input: string): readonly AskedQuestion[] {
  const read: unknown = JSON.parse(input)
  const questions = isRecord(read) && Array.isArray(read['questions']) ? read['questions'] : []
  return questions.filter(isRecord).map(({ header, text, options, multiple, other }) => ({
    header: String(header),
    text: String(text),
    options: Array.isArray(options) ? options.map(String) : [],
    multiple: multiple === true,
    other: other === true,
  }))
}

/** Returns the fields of one question by the names of its form; a sentence if the file has no answer that fits. */
function fieldsFor(
  { header, text, options, multiple, other }: AskedQuestion,
  name: string,
  given: GivenAnswers,
): Answers | string {
  const answer = given.get(keyOf(header)) ?? given.get(keyOf(text))
  if (answer === undefined) return `no answer is given to "${header}"`
  const chosen = typeof answer === 'string' ? [answer] : answer
  if (options.length === 0) return { [name]: chosen.join(', ') }
  const own = chosen.filter((one) => !options.includes(one))
  if (own.length > 0 && !other) return `the answer to "${header}" is none of its options`
  if (!multiple && chosen.length !== 1) return `"${header}" takes one answer`
  const written: Answers = own.length === 0 ? {} : { [`${name}_other`]: own.join(', ') }
  const known = chosen.filter((one) => options.includes(one))
  if (multiple) return { [name]: options.filter((option) => known.includes(option)), ...written }
  return { ...Object.fromEntries(known.map((one) => [name, one])), ...written }
}
