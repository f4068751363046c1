import { opendirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { foldersUp, followLinks } from '@parley/host'
import type { ConversationState, SandboxMode } from '@parley/protocol'
import { isSecret, liesWithin, ownFiles, realOrGiven, type SecretPaths } from '@parley/workspace'
import { rejection } from '../replies/rejection.ts'
import type { Workspace } from '../tools/contract/tool.ts'
import { type Ceiling, closedFolderRejected } from './ceiling.ts'

/** Returns the folders of a conversation: the working folder first, then the folders that the user added. */
export function workspaceOf({ core }: Pick<ConversationState, 'core'>): Workspace {
  return { cwd: core.meta.cwd, roots: [core.meta.cwd, ...core.settings.writableRoots] }
}

interface Workplace {
  /** Absolute folders of this machine that may be written to. */
  readonly roots: readonly string[]
  readonly sandbox: SandboxMode
}

/** Returns the sandbox mode that fits the folders: `read-only` where `workspace-write` would cover all files. */
export function fittingMode({ roots, sandbox }: Workplace): SandboxMode {
  return sandbox === 'workspace-write' && roots.some((root) => realOrGiven(root) === '/') ? 'read-only' : sandbox
}

export const wholeSystemText =
  'The working folder is the whole file system (/), so the sandbox mode is read-only instead of workspace-write. Start parley in a folder to let it write there.'

/** Returns warnings about the folders, to show before work begins in them. */
export function rootWarnings({ roots, sandbox }: Workplace, home = homedir()): readonly string[] {
  if (sandbox === 'danger-full-access') return []
  if (fittingMode({ roots, sandbox }) !== sandbox) return [wholeSystemText]
  const realHome = realOrGiven(home)
  if (sandbox === 'read-only' || !roots.some((root) => liesWithin(realHome, realOrGiven(root)))) return []
  return [
    'The working folder holds your home folder. What programs read when they start (.bashrc, .profile, .config, .local, …), keys and parley’s own files stay read-only or hidden in it; everything else in it can be changed. A project folder is safer.',
  ]
}

/** Places of secrets on this machine, and the ceiling with the places that the user allowed. */
export interface SecretSurroundings {
  readonly home: string
  readonly secrets: SecretPaths
  readonly ceiling: () => Ceiling
}

/** Throws `aboveCeiling` for a folder where secrets are kept, or of the kernel, that the user did not name when the server was started. */
export function assertNoSecretFolder(folders: readonly string[], surroundings: SecretSurroundings): void {
  const folder = folders.find((one) => isClosedFolder(one, surroundings))
  if (folder === undefined) return
  throw closedFolderRejected(folder, isOfKernel(realOrGiven(folder)), surroundings.ceiling())
}

/**
 * Returns true for a folder of secrets or of the kernel that the user did not name. It is, lies in, or holds nothing but
 * such places, by its real path. Folders of this machine only.
 */
export function isClosedFolder(folder: string, { home, secrets, ceiling }: SecretSurroundings): boolean {
  const real = realOrGiven(folder)
  // Programs keep plain working files in shared memory.
  const isSecretPlace = isSecret(real, secrets) && !liesWithin(real, '/dev/shm')
  if (!isOfKernel(real) && !isSecretPlace && !holdsOnlySecrets(real, secrets, realOrGiven(home))) return false
  return !(ceiling().secretFolders ?? []).some((allowed) => liesWithin(real, realOrGiven(allowed)))
}

/** Returns true for a folder whose files are switches of the system: `cgroup.kill` in one ends processes of the user. */
function isOfKernel(folder: string): boolean {
  return ['/proc', '/sys', '/dev'].some((top) => liesWithin(folder, top)) && !liesWithin(folder, '/dev/shm')
}

/** Returns true for a folder with entries, all of them places of secrets other than parley's home. */
function holdsOnlySecrets(folder: string, secrets: SecretPaths, home: string): boolean {
  try {
    using entries = opendirSync(folder)
    let entry = entries.readSync()
    const hasEntries = entry !== null
    for (; entry !== null; entry = entries.readSync()) {
      const path = join(folder, entry.name)
      if (path === home || !isSecret(path, secrets)) return false
    }
    return hasEntries
  } catch {
    return false
  }
}

/** Throws `configInvalid` for folders that hold own files of the user. The first folder is the working folder. */
export function assertOwnFilesOutside(roots: readonly string[], home: string): void {
  const inside = findOwnFileInside(roots, home)
  if (inside !== null) throw rejection('configInvalid', inside.message, { where: inside.file })
}

/**
 * Returns the first file of the user's own that a folder holds by a link in `$PARLEY_HOME`, on the way included; null
 * without one. A command or patch could rewrite settings or keys there. This machine only.
 */
export function findOwnFileInside(roots: readonly string[], home: string): { file: string; message: string } | null {
  const folders = roots.map(realOrGiven)
  const realHome = followLinks(home).real
  for (const path of ownFiles(home)) {
    const { real, links } = followLinks(path)
    for (const place of [real, ...links]) {
      const folder = folders.find((root) => liesWithin(place, root))
      if (folder === undefined) continue
      const isOwn = path === home ? isPlainlyIn(folder, home, realHome) : liesWithin(place, realHome)
      if (isOwn) continue
      const link = { place, isPassed: place !== real, folder, isAdded: folder !== folders[0] }
      return { file: path, message: ownFileMessage(path, link) }
    }
  }
  return null
}

/** Returns true where no link lies between the folder and the home: the sandbox hides the home there. */
function isPlainlyIn(folder: string, home: string, realHome: string): boolean {
  return foldersUp(home).some(
    (above) => realOrGiven(above) === folder && folder + home.slice(above.length) === realHome,
  )
}

/** Place of an own file, or of a link to it, in a folder of the conversation. */
interface OwnFileLink {
  readonly place: string
  /** True for a link on the way to a target elsewhere. */
  readonly isPassed: boolean
  readonly folder: string
  /** False for the working folder. */
  readonly isAdded: boolean
}

function ownFileMessage(path: string, { place, isPassed, folder, isAdded }: OwnFileLink): string {
  const way = place === path ? 'is a link' : isPassed ? `leads through the link ${place}` : `leads to ${place}`
  const what = isAdded ? 'a folder added to this conversation' : 'the folder that this conversation works in'
  const elsewhere = isAdded ? `leave out the added folder ${folder}` : `work in a folder that does not hold ${place}`
  return `${path} ${way}, which lies in ${folder}, ${what}: a command or patch that may write there could change parley's own settings and rules. Put a copy in place of the link, or ${elsewhere}.`
}
