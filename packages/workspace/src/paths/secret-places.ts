import { join } from 'node:path'
import type { PlaceFiles } from '../environment/place-files.ts'
import { whenUnknown } from '../environment/place-unreachable.ts'
import { liesWithin } from './workspace-path.ts'

const underHome = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.docker',
  '.netrc',
  '.npmrc',
  '.pypirc',
  '.git-credentials',
  '.vault-token',
  '.password-store',
  '.pgpass',
  '.config/gcloud',
  '.config/gh',
  '.config/git/credentials',
  '.config/op',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.gem/credentials',
  '.local/share/keyrings',
  '.terraform.d',
  'Library/Keychains',
]
const ofTheSystem = [
  '/etc/shadow',
  '/etc/shadow-',
  '/etc/gshadow',
  '/etc/gshadow-',
  '/etc/sudoers',
  '/etc/sudoers.d',
  '/etc/ssh',
  '/etc/ssl/private',
  '/run/secrets',
  '/run/user',
]

/** Absolute paths of files and folders that hold secrets, each as written and with links followed. */
export type SecretPlaces = readonly string[]

interface Homes {
  readonly home: string
  readonly parleyHome: string
  /** Files that belong to it and may lie elsewhere. */
  readonly own?: readonly string[]
  /** Where sockets of servers are. */
  readonly runFolders?: readonly string[]
}

export async function secretPlaces(
  { home, parleyHome, own = [], runFolders = [] }: Homes,
  files: PlaceFiles,
): Promise<SecretPlaces> {
  const written = [...underHome.map((name) => join(home, name)), parleyHome, ...own, ...runFolders, ...ofTheSystem]
  const real = await Promise.all(written.map((path) => files.realPath(path).catch(whenUnknown(path))))
  return [...new Set([...written, ...real])]
}

// Another process's environment, memory and open files; the kernel's memory, keys and messages; disks as raw bytes.
const secretProcFile = /^\/proc\/(?:(?:\d+|self|thread-self)\/.|(?:kcore|kmsg|keys)$)/
// Of other people, where this user may look into their folders.
const ofAnybody =
  /^\/(?:home\/[^/]+|Users\/[^/]+|root)\/(?:\.ssh|\.gnupg|\.aws|\.azure|\.kube|\.docker|\.netrc|\.npmrc|\.pgpass|\.git-credentials|\.password-store)(?:\/|$)/i
const harmlessDevice = /^\/dev\/(?:null|zero|full|random|urandom|stdin|stdout|stderr|tty)$/

/** Whether a path lies in a secret place. Compared without case: some file systems do not see it. */
export function isSecret(path: string, places: SecretPlaces): boolean {
  if (secretProcFile.test(path) || ofAnybody.test(path) || (path.startsWith('/dev/') && !harmlessDevice.test(path)))
    return true
  const folded = `${path.toLowerCase().replace(/\/+/g, '/')}/`
  return places.some((place) => folded.startsWith(`${place.toLowerCase()}/`))
}

/** Whether reading everything below a folder would read a secret that exists now. */
export async function holdsSecrets(folder: string, places: SecretPlaces, files: PlaceFiles): Promise<boolean> {
  if (['/proc', '/dev'].some((system) => liesWithin(system, folder) || liesWithin(folder, system))) return true
  const folded = `${folder.toLowerCase().replace(/\/+$/, '')}/`
  const below = places.filter((place) => `${place.toLowerCase()}/`.startsWith(folded))
  const existing = await Promise.all(
    below.map((place) =>
      files
        .look(place)
        .then(() => true)
        .catch(whenUnknown(false)),
    ),
  )
  return existing.includes(true)
}
