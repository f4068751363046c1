import { assertUnderCeiling, type MachineCeiling } from './machine-ceiling.ts'
import type { SandboxPolicy } from './read-policy.ts'

/** Fields of a policy with limits. */
type ConfinedPolicy = Omit<Extract<SandboxPolicy, { kind: 'confined' }>, 'kind'>

/** Compares one field of a policy with the ceiling; throws the error that a client gets. */
type CeilingCheck<Field extends keyof ConfinedPolicy> = (
  policy: Pick<ConfinedPolicy, Field>,
  ceiling: MachineCeiling,
) => void

/** Folders are judged by their real paths, once these are known: `assertPlaces`. */
const judgedAsPlaces = () => undefined
/** Only makes the sandbox stricter, or is shared with processes of the same session and limits. */
const givesNothing = () => undefined
/** The owner's flags do not limit it. */
const notLimited = () => undefined

/** Check of each field of a policy; a new field without an entry does not compile. */
const checks: { readonly [Field in keyof ConfinedPolicy]: CeilingCheck<Field> } = {
  mode: ({ mode }, ceiling) => assertUnderCeiling({ sandbox: mode }, ceiling),
  unixSockets: ({ unixSockets }, ceiling) => assertUnderCeiling({ unixSockets }, ceiling),
  network: notLimited,
  writableRoots: judgedAsPlaces,
  cwd: judgedAsPlaces,
  masked: givesNothing,
  loopback: givesNothing,
}

/** Throws the error that a client gets for a policy above the ceiling; null is a policy without limits. */
export function assertPolicyUnderCeiling(policy: ConfinedPolicy | null, ceiling: MachineCeiling): void {
  if (policy === null) assertUnderCeiling({ sandbox: 'danger-full-access' }, ceiling)
  else for (const check of Object.values(checks)) check(policy, ceiling)
}
