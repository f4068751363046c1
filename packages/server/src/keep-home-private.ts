import { chmodSync, statSync } from 'node:fs'
import { UsageProblem } from './serving/usage-problem.ts'

const forOthers = 0o077

/**
 * The home holds rules, keys and conversations: whoever can write there decides what runs. One that others can reach
 * is closed to them, and the sentence that says so is returned; one of somebody else is refused. Not there yet: null.
 */
export function keepHomePrivate(home: string): string | null {
  const facts = statSync(home, { throwIfNoEntry: false })
  const own = process.getuid?.()
  if (facts === undefined || own === undefined) return null
  if (facts.uid !== own && own !== 0) {
    throw new UsageProblem(
      `${home} belongs to user ${facts.uid}, and this is user ${own}. Set PARLEY_HOME to a folder of your own.`,
    )
  }
  const mode = facts.mode & 0o7777
  if ((mode & forOthers) === 0) return null
  chmodSync(home, mode & ~forOthers)
  return `${home} was open to others of this machine (mode ${mode.toString(8)}); it is yours alone now.`
}
