import * as z from 'zod'
import { allow, always, ask, askedRow, deny, harmlessRow, outcomes } from '../rules/matrix.ts'
import type { FactsKind } from './kind.ts'

/** Facts about a call of a tool with effects that no other kind describes. */
export interface OtherToolFacts {
  readonly kind: 'other'
  readonly tool: string
  readonly readOnly: boolean
}

/** Returns the rows of tools with effects beyond the limits of the sandbox; `effects` says so in the reason. */
export function toolRowsFor(effects: string) {
  return {
    toolReadOnly: harmlessRow(allow('tool-read-only', 'the tool changes nothing outside the conversation')),
    toolWithEffects: askedRow(
      ask('tool-effects', effects, { liftable: true }),
      deny('tool-effects-never', 'policyNever', `${effects}, and the approval policy is never`),
      { untrusted: always(outcomes.untrusted) },
    ),
  }
}

/** Rows of tools that run outside the sandbox. */
export const toolRows = toolRowsFor('what this tool does is not limited by the sandbox')

export const otherToolKind: FactsKind<OtherToolFacts> = {
  schema: () => z.object({ kind: z.literal('other'), tool: z.string(), readOnly: z.boolean() }),
  row: ({ readOnly }) => (readOnly ? toolRows.toolReadOnly : toolRows.toolWithEffects),
  particulars: () => '',
  describe: ({ tool, readOnly }) => [
    {
      about: 'tool',
      text: `${tool}, which ${readOnly ? 'changes nothing outside the conversation' : 'may do more than look'}`,
    },
  ],
  alike: ({ tool }) => ({ words: `any call of ${tool}`, marks: [tool] }),
  approvalKind: () => 'mcpTool',
}
