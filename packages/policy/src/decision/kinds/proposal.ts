import * as z from 'zod'
import { allow, ask, userRow } from '../rules/matrix.ts'
import type { FactsKind } from './kind.ts'

/** Facts about a plan that the model hands over. A yes changes the mode and runs nothing. */
export interface ProposalFacts {
  readonly kind: 'proposal'
  readonly tool: string
  readonly steps: number
}

/** Row of proposals: no sandbox mode, rule or grant leaves plan mode in the user's place. */
const proposalRow = userRow(
  ask('proposal', 'Nothing is changed before you choose.'),
  allow('proposal-never', 'nobody is asked under the approval policy never'),
)

export const proposalKind: FactsKind<ProposalFacts> = {
  schema: () => z.object({ kind: z.literal('proposal'), tool: z.string(), steps: z.int() }),
  row: () => proposalRow,
  particulars: () => '',
  describe: ({ steps }) => [{ about: 'steps', text: String(steps) }],
  approvalKind: () => 'plan',
  // The yes changes the mode before the call runs, and still counts then.
  hasOwnLimits: true,
  limits: () => ({ sandbox: 'read-only', network: false }),
}
