import type { Host, Sandboxes } from '@parley/host'
import { lookUpLimits } from '../look-up/look-up-limits.ts'
import { type BoundedRun, type BoundedRunOutcome, runBounded } from '../look-up/run-bounded.ts'
import { runConfined } from '../look-up/run-confined.ts'
import { realPathOf } from '../paths/real-path.ts'
import type { SecretPlaces } from '../paths/secret-places.ts'
import type { Ripgrep } from './place.ts'

export interface LocalSearchParts {
  readonly host: Pick<Host, 'startProcess'>
  readonly sandboxes: Sandboxes
  readonly secrets: () => Promise<SecretPlaces>
  /** Absolute path of the program that comes with parley. */
  readonly ripgrep: string
}

/** Our own ripgrep, which may only read where this machine can see to that. */
export function localSearch(parts: LocalSearchParts): Ripgrep {
  return { command: [parts.ripgrep], run: (run) => runHere(parts, run) }
}

/** Where it really is: what a sandbox shows has no links in its path. */
async function withRealProgram(run: BoundedRun): Promise<BoundedRun> {
  const [program, ...args] = run.command
  return { ...run, command: [await realPathOf(program), ...args] }
}

async function runHere({ host, sandboxes, secrets }: LocalSearchParts, run: BoundedRun): Promise<BoundedRunOutcome> {
  if ((await sandboxes.report()).enforcement === 'none') return runBounded(run)
  try {
    const really = await withRealProgram(run)
    const sandbox = await sandboxes.prepare(lookUpLimits(really, await secrets()))
    const outcome = await runConfined(host, sandbox, really)
    if (outcome.kind === 'notStarted') void sandboxes.recheck()
    return outcome
  } catch (error) {
    return { kind: 'notStarted', reason: error instanceof Error ? error.message : String(error) }
  }
}
