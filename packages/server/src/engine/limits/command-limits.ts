import type { Sandbox, SandboxLimits } from '@parley/host'
import type { RunLimits } from '@parley/protocol'
import { type Environment, liesWithin, whenUnknown } from '@parley/workspace'
import type { Conversation } from '../conversation/conversation.ts'
import type { Scratch } from './scratch.ts'
import { workspaceOf } from './workspace-folders.ts'

/** Everything the limits of a conversation's commands depend on. */
export interface CommandSurroundings {
  readonly conversation: Conversation
  readonly place: Environment
  /** `$PARLEY_HOME`. */
  readonly home: string
  readonly scratch: Scratch
  /** Tells people what became of a guarded path that was exchanged while a command ran. */
  readonly onExchanged: (sentence: string) => void
}

/**
 * Resolves to the sandbox limits of a command, in paths of its machine; null for none. Rejects with a sentence when no
 * sandbox can enforce them.
 */
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
    // A writable folder inside a secret place stays visible; everything beside it is hidden.
    masked: secrets.filter((secret) => !writableRoots.includes(secret)),
    scratch: isHere ? await scratch.ready() : null,
  }
}

/** Prepares the sandbox for one command. Releasing it measures the /tmp anew. */
export async function sandboxFor(
  { place, scratch, onExchanged }: CommandSurroundings,
  limits: SandboxLimits,
): Promise<Sandbox> {
  const sandbox = await place.sandboxes.prepare(limits)
  return {
    limits: sandbox.limits,
    wrap: (command) => sandbox.wrap(command),
    release() {
      const exchanged = sandbox.release?.() ?? []
      for (const sentence of exchanged) onExchanged(sentence)
      scratch.measure()
      return exchanged
    },
  }
}

/**
 * Resolves to the real paths of the existing folders, the working folder first. A sandbox fails on a missing one. Rejects
 * with a sentence for one that is another folder than when the conversation opened.
 */
async function existingRoots({ state }: Conversation, { files, rootsNow }: Environment): Promise<readonly string[]> {
  const { real, changed } = await rootsNow(workspaceOf(state).roots)
  if (changed.length > 0) throw new Error(changed.join(' '))
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
