import type { SandboxLimits } from '@parley/host'
import type { RunLimits } from '@parley/protocol'
import { type Environment, liesWithin, whenUnknown } from '@parley/workspace'

/** Everything the sandbox limits of a command depend on. */
export interface LimitedCommand {
  readonly environment: Environment
  readonly home: string
  /** Absolute folders that it may write to, the working folder first. */
  readonly folders: readonly string[]
  readonly unixSockets: boolean
  /** Resolves to the folder that it sees as /tmp; null for an empty one of its own. */
  readonly scratch: () => Promise<string | null>
}

/**
 * Resolves to the sandbox limits of a command, in paths of its machine; null without limits. Rejects with a sentence
 * where no sandbox can enforce them.
 */
export async function limitsOfCommand(
  { environment, home, folders, unixSockets, scratch }: LimitedCommand,
  { sandbox: mode, network }: RunLimits,
): Promise<SandboxLimits | null> {
  if (mode === 'none' || mode === 'danger-full-access') return null
  const { roots: writableRoots, identities } = await existingRoots(folders, environment)
  if (mode === 'workspace-write' && writableRoots.includes('/'))
    throw new Error('A sandbox cannot let commands write everywhere (/) and limit them; use a folder, or read-only.')
  const isHere = environment.name === null
  if (isHere && writableRoots.some((root) => liesWithin(root, home)))
    throw new Error(`Commands cannot work in ${home}: that is where parley keeps its own files.`)
  const secrets = await environment.secrets()
  return {
    mode,
    writableRoots,
    ...(identities === undefined ? {} : { identities }),
    network,
    unixSockets,
    // A writable folder inside a secret place stays visible; everything beside it is hidden.
    masked: writableRoots.some((root) => secrets.includes(root))
      ? secrets.filter((secret) => !writableRoots.includes(secret))
      : secrets,
    scratch: isHere ? await scratch() : null,
  }
}

/**
 * Resolves to the real paths of the existing folders, the working folder first. A sandbox fails on a missing one. Rejects
 * with a sentence for one that is another folder than when the conversation opened.
 */
async function existingRoots(
  folders: readonly string[],
  { files, rootsNow }: Pick<Environment, 'files' | 'rootsNow'>,
): Promise<Pick<SandboxLimits, 'identities'> & { readonly roots: readonly string[] }> {
  const { real, changed, identities } = await rootsNow(folders)
  if (changed.length > 0) throw new Error(changed.join(' '))
  const areFolders = await Promise.all(
    real.map((root) => files.look(root).then(({ kind }) => kind === 'folder', whenUnknown(false))),
  )
  const roots = [...new Set(real.filter((_, index) => areFolders[index]))]
  return identities === undefined ? { roots } : { roots, identities }
}
