import type { ApprovalKind, RunLimits } from '@parley/protocol'
import type * as z from 'zod'
import { commandKind } from './kinds/command/command.ts'
import { processInputKind } from './kinds/command/process-input.ts'
import type { AskedLimits, AskedRun, DescribedFact, FactsKind } from './kinds/kind.ts'
import { mcpKind } from './kinds/mcp.ts'
import { otherToolKind } from './kinds/other-tool.ts'
import { patchKind } from './kinds/patch.ts'
import { proposalKind } from './kinds/proposal.ts'
import { questionKind } from './kinds/question.ts'
import { readKind } from './kinds/read.ts'

/** Kinds of facts by name. A new kind is one file or folder of `kinds/` and one line here. */
const kinds = {
  command: commandKind,
  patch: patchKind,
  read: readKind,
  mcp: mcpKind,
  question: questionKind,
  processInput: processInputKind,
  proposal: proposalKind,
  other: otherToolKind,
}

type KindOf = (typeof kinds)[keyof typeof kinds]

/**
 * Facts about a call: all that policy may know. Plain data that is stored on the item; the same facts and settings
 * always lead to the same decision.
 */
export type Facts = KindOf extends FactsKind<infer SomeFacts> ? SomeFacts : never

/** Returns what policy does with these facts; only these may be passed to its methods. */
export function kindOf(facts: Facts): FactsKind<Facts> {
  return kinds[facts.kind]
}

/** Describes for people what policy knew about a call. */
export function describeFacts(facts: Facts): readonly DescribedFact[] {
  return kindOf(facts).describe(facts)
}

/** Returns the kind of permission that a question about the call asks for. */
export function approvalKindOf(facts: Facts, run: AskedRun): ApprovalKind {
  return kindOf(facts).approvalKind(facts, run)
}

/** Returns the limits besides the sandbox that a question about the call names. */
export function askedLimits(facts: Facts, limits: RunLimits): AskedLimits {
  return kindOf(facts).askedLimits?.(facts, limits) ?? {}
}

/** Returns true when each call of the kind has limits of its own, to which approval binds. */
export function hasOwnLimits(facts: Facts): boolean {
  return kindOf(facts).hasOwnLimits === true
}

/** Reads the facts stored with a call; null when they are missing or lack something policy needs. */
export function storedFacts(value: unknown): Facts | null {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return null
  const kind = Object.entries(kinds).find(([name]) => name === value.kind)?.[1]
  return kind === undefined ? null : (schemaOf(kind).safeParse(value).data ?? null)
}

/** Schemas by kind, created when they are needed: to create all would take 3 ms of each start. */
const schemas = new Map<KindOf, z.ZodType<Facts>>()

function schemaOf(kind: KindOf): z.ZodType<Facts> {
  const schema = schemas.get(kind) ?? kind.schema()
  schemas.set(kind, schema)
  return schema
}
