import type { Sandbox, SandboxLimits } from '@parley/host'
import type { RunLimits } from '@parley/protocol'
import { type Environment, liesWithin, whenUnknown } from '@parley/workspace'
import type { Conversation } from '../conversation.ts'
import type { Scratch } from './scratch.ts'
import { workspaceOf } from './workspace-folders.ts'

export interface CommandSurroundings {
  readonly conversation: Conversation
  readonly place: Environment
  /** `$PARLEY_HOME`. */
  readonly home: string
  readonly scratch: Scratch
}

/** What a command may do, in the paths of its machine. Rejects with a sentence for what no sandbox can enforce. */
export async function limitsOfCommand(
  { conversation, place, home, scratch }: CommandSurroundings,
  { sandbox: mode, network }: RunLimits,
): Promise<SandboxLimits | null> {
  if (mode === 'none' || mode === 'danger-full-access') return null
  const writableRoots = await existingRoots(conversation, place)
  if (mode === 'workspace-write' && writableRoots.includes('/'))
    throw new Error('A sandbox cannot let commands write everywhere (/) and limit them; use a folder, or read-only.')
  const isHere = place.name === null
  if (isHere && writableRoots.some((root) => liesWithin(root, home)))
    throw new Error(`Commands cannot work in ${home}: that is where parley keeps its own files.`)
  const secrets = await place.secrets()
  return {
    mode,
    writableRoots,
    network,
    unixSockets: conversation.state.core.settings.unixSockets === true,
    // A folder in such a place that the user chose to work in is seen there, and nothing beside it.
    masked: secrets.filter((secret) => !writableRoots.includes(secret)),
    scratch: isHere ? await scratch.ready() : null,
  }
}

/** Puts limits around one command, and counts afterwards what it left in its /tmp. */
export async function sandboxFor({ place, scratch }: CommandSurroundings, limits: SandboxLimits): Promise<Sandbox> {
  const sandbox = await place.sandboxes.prepare(limits)
  return {
    limits: sandbox.limits,
    wrap: (command) => sandbox.wrap(command),
    release() {
      sandbox.release?.()
      scratch.measure()
    },
  }
}

/** Real paths, the working folder first. One that was taken away cannot be opened for writing. */
async function existingRoots({ state }: Conversation, { files }: Environment): Promise<readonly string[]> {
  const { roots } = workspaceOf(state)
  const real = await Promise.all(roots.map((root) => files.realPath(root).catch(whenUnknown(root))))
  const there = await Promise.all(
    real.map((root) =>
      files
        .look(root)
        .then(({ kind }) => kind === 'folder')
        .catch(whenUnknown(false)),
    ),
  )
  return [...new Set(real.filter((_, index) => there[index]))]
}
