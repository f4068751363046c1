import { noSandbox, type Sandbox, type Sandboxes } from '@parley/host'
import { type Confinement, isUnchanged } from '@parley/policy'
import { liesWithin, type SecretPlaces } from '@parley/workspace'

interface Ports {
  readonly sandboxes: Sandboxes
  readonly secrets: () => Promise<SecretPlaces>
}

/**
 * The sandbox that a project's server is started in, right before its start; none where the user has said yes to that.
 * Rejects with why it is not started.
 */
export async function confine(confinement: Confinement, { sandboxes, secrets }: Ports): Promise<Sandbox> {
  const { root, mode, network, mayRunBare, programs } = confinement
  const changed = programs.find((program) => !isUnchanged(root, program))
  if (changed !== undefined)
    throw new Error(`${changed.path} is not what was trusted; /trust shows what has changed, and /new starts with it`)
  const { enforcement } = await sandboxes.report()
  if (enforcement === 'full') {
    const masked = (await secrets()).filter((secret) => !liesWithin(root, secret))
    return await sandboxes.prepare({
      mode,
      writableRoots: [root],
      network,
      unixSockets: false,
      masked,
      scratch: null,
    })
  }
  if (mayRunBare) return noSandbox
  throw new Error('it was trusted to run inside the sandbox, and there is none here now; /trust asks anew')
}
