import type { SandboxMode } from '@parley/protocol'
import type { CeilingFlags } from '../engine/limits/ceiling.ts'
import { UsageProblem } from './usage-problem.ts'

/** How much a server may ever allow, on the command line of its program. */
export const ceilingOptions = {
  'max-sandbox': { type: 'string' },
  'allow-never': { type: 'boolean' },
  profile: { type: 'string' },
} as const

interface Given {
  readonly 'max-sandbox'?: string | undefined
  readonly 'allow-never'?: boolean | undefined
  readonly profile?: string | undefined
}

const modes: readonly SandboxMode[] = ['read-only', 'workspace-write', 'danger-full-access']

/** Throws `UsageProblem`. */
export function readCeiling(given: Given): CeilingFlags {
  const wanted = given['max-sandbox']
  const maxSandbox = modes.find((mode) => mode === wanted) ?? null
  if (wanted !== undefined && maxSandbox === null)
    throw new UsageProblem(`--max-sandbox takes ${modes.join(', ')}, not ${JSON.stringify(wanted)}.`)
  return { maxSandbox, allowNever: given['allow-never'] === true, profile: given.profile ?? null }
}
