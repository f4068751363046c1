import { machineErrors } from '../requests.ts'
import { assertMode, type MachineCeiling } from './machine-ceiling.ts'
import type { SandboxPolicy } from './read-policy.ts'

/** All that a request for a sandbox may ask for. */
type Asked = Omit<Extract<SandboxPolicy, { kind: 'confined' }>, 'kind'>

/** Answer of the ceiling to one thing that is asked for; throws where it is not allowed. */
type Answer<Part extends keyof Asked> = (asked: Pick<Asked, Part>, ceiling: MachineCeiling) => void

/** Folders are judged by their real paths, once these are known: `assertPlaces`. */
const judgedAsPlaces = () => undefined
/** Only makes the sandbox stricter, or is shared with processes of the same session and limits. */
const givesNothing = () => undefined
/** The owner's flags do not limit it. */
const notLimited = () => undefined

/** Answer to each field of a policy; a new one without an entry does not compile. */
const answers: { readonly [Part in keyof Asked]: Answer<Part> } = {
  mode: ({ mode }, ceiling) => assertMode(mode, ceiling),
  unixSockets(asked, { unixSockets }) {
    if (asked.unixSockets && !unixSockets) throw machineErrors.unixSocketsNotAllowed()
  },
  network: notLimited,
  writableRoots: judgedAsPlaces,
  cwd: judgedAsPlaces,
  masked: givesNothing,
  loopback: givesNothing,
}

/** Throws the error that a client gets for a policy that asks for more than the ceiling; null is one without limits. */
export function assertAsked(policy: Asked | null, ceiling: MachineCeiling): void {
  if (policy === null) assertMode('danger-full-access', ceiling)
  else for (const answer of Object.values(answers)) answer(policy, ceiling)
}
