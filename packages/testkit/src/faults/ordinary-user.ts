import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** User without rights, whose programs root can start. */
export const ordinaryUid = 65534

/** Prefix that runs the command after it as the ordinary user. */
export const asOrdinaryUser = ['setpriv', `--reuid=${ordinaryUid}`, `--regid=${ordinaryUid}`, '--clear-groups'] as const

const checkout = fileURLToPath(new URL('../../../..', import.meta.url))

/** Reason why tests start no program of this checkout as the ordinary user, for their titles; empty where they start some. */
export const whyNotOrdinary = reasonAgainst()

export const canBeOrdinary = whyNotOrdinary === ''

function reasonAgainst(): string {
  if (process.getuid?.() !== 0) return ' (only root can start programs of others)'
  const [setpriv, ...words] = asOrdinaryUser
  const works = (...command: readonly string[]) =>
    spawnSync(setpriv, [...words, ...command], { stdio: 'ignore', cwd: '/' }).status === 0
  if (!works('true')) return ' (setpriv does not work here)'
  // As root, `.ci/run` repeats the tests that depend on the user in a copy that a user can read.
  const reads = works('sh', '-c', 'test -r "$0/package.json" && test -x "$1"', checkout, process.execPath)
  return reads ? '' : ' (other users may not read this checkout)'
}
