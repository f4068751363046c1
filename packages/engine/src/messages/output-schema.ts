import { answerIn, type ConversationState, limits, type OutputSchema } from '@parley/protocol'
import { errorMessage, parseJson } from '@parley/text'
import { invalidParam } from '../replies/rejection.ts'
import { jsonBytes } from '../replies/wire-limits.ts'

/** Loads the validator on first use: it is larger than the rest of the engine. */
const createValidator = async () => {
  const { Ajv } = await import('@modelcontextprotocol/server/validators/ajv')
  return new Ajv({ strict: false, allErrors: true, logger: false })
}

/** Throws `invalidParams` for an invalid JSON Schema and names the place. */
export async function assertOutputSchema(schema: OutputSchema): Promise<void> {
  const invalid = (problem: string) => invalidParam('outputSchema', `The output schema cannot be used: ${problem}`)
  if (jsonBytes(schema) > limits.outputSchema) throw invalid(`it has more than ${limits.outputSchema} bytes of JSON.`)
  const validator = await createValidator()
  const rules = withoutDialect(schema)
  if (validator.validateSchema(rules) !== true) throw invalid(`${firstProblem(validator.errors)}.`)
  try {
    validator.compile(rules)
  } catch (error) {
    throw invalid(`${errorMessage(error)}.`)
  }
}

/** Returns where the final message of the open turn violates its schema; null where it does not, or without a schema. */
export async function findAnswerProblem({ core, window }: ConversationState): Promise<string | null> {
  const { turn } = core
  if (turn?.outputSchema === undefined) return null
  const items = window.filter(({ turnId }) => turnId === turn.id).map(({ item }) => item)
  const value = parseJson(answerIn(items) ?? '')
  if (value === undefined) return 'it is not JSON'
  const validator = await createValidator()
  const validate = validator.compile(withoutDialect(turn.outputSchema))
  return validate(value) === true ? null : firstProblem(validate.errors)
}

/** Removes the dialect, since the validator knows only one. */
function withoutDialect({ $schema: _dialect, ...rules }: OutputSchema): OutputSchema {
  return rules
}

function firstProblem(
  problems: readonly { readonly instancePath: string; readonly message?: string }[] | null | undefined,
): string {
  const [first] = problems ?? []
  return `${first?.instancePath || 'the whole'} ${first?.message ?? 'does not fit'}`
}
