import * as z from 'zod'
import { allow, ask, userRow } from '../rules/matrix.ts'
import type { FactsKind } from './kind.ts'

/** Facts about a question of the model to the user, which runs nothing. */
export interface QuestionFacts {
  readonly kind: 'question'
  readonly tool: string
  /** Number of questions in the form. */
  readonly count: number
}

/** Row of questions: no sandbox mode and no rule answers one in the user's place. */
const questionRow = userRow(
  ask('question', 'The model goes on with your answers.'),
  allow('question-never', 'nobody is asked under the approval policy never'),
)

export const questionKind: FactsKind<QuestionFacts> = {
  schema: () => z.object({ kind: z.literal('question'), tool: z.string(), count: z.int() }),
  row: () => questionRow,
  particulars: () => '',
  describe: ({ count }) => [{ about: 'questions', text: String(count) }],
  approvalKind: () => 'question',
  // The answers count in any mode that the user has changed to meanwhile.
  hasOwnLimits: true,
  limits: () => ({ sandbox: 'read-only', network: false }),
}
