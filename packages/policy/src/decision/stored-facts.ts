import * as z from 'zod'
import type { Facts } from './facts.ts'

const wish = z.object({ reason: z.string() })
const placeRead = z.object({ path: z.string(), real: z.string(), recursive: z.boolean() })

const facts = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('command'),
    tool: z.string(),
    argv: z.array(z.string()),
    script: z.string().nullable(),
    understood: z.boolean(),
    notUnderstoodBecause: z.string().exactOptional(),
    parts: z.array(
      z.object({
        argv: z.array(z.string()),
        program: z.string(),
        programPath: z.string().nullable(),
        programInsideRoots: z.boolean(),
        knownSafe: z.boolean(),
      }),
    ),
    seen: z.array(z.array(z.string().nullable())),
    dangerous: z.string().nullable(),
    knownSafe: z.boolean(),
    touchesSecret: z.string().nullable(),
    reads: z.array(placeRead),
    cwd: z.string(),
    workspace: z.string(),
    escalation: wish.nullable(),
    network: wish.exactOptional(),
    background: z.boolean(),
  }),
  z.object({
    kind: z.literal('patch'),
    tool: z.string(),
    files: z.array(
      z.object({
        path: z.string(),
        real: z.string(),
        insideRoots: z.boolean(),
        protectedBy: z.string().nullable(),
      }),
    ),
    contentHash: z.string(),
    cwd: z.string(),
  }),
  z.object({
    kind: z.literal('read'),
    tool: z.string(),
    paths: z.array(placeRead.extend({ insideRoots: z.boolean(), secret: z.boolean() })),
    cwd: z.string(),
  }),
  z.object({
    kind: z.literal('mcp'),
    tool: z.string(),
    server: z.string(),
    name: z.string(),
    confined: z.object({ mode: z.enum(['read-only', 'workspace-write']), network: z.boolean() }).exactOptional(),
    readOnly: z.boolean(),
  }),
  z.object({ kind: z.literal('other'), tool: z.string(), readOnly: z.boolean() }),
]) satisfies z.ZodType<Facts>

/** The facts of a call as they were stored with it; null where there are none, or not all that policy needs. */
export function storedFacts(value: unknown): Facts | null {
  const read = facts.safeParse(value)
  return read.success ? read.data : null
}
