import { join } from 'node:path'
import type { EnvironmentFiles } from './environment-files.ts'
import { whenUnknown } from './errors.ts'
import { liesWithin } from './real-path.ts'

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
const systemPaths = [
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

/** Absolute paths of files and folders that contain secrets, each as written and with links followed. */
export type SecretPaths = readonly string[]

interface SecretHomes {
  readonly home: string
  readonly parleyHome: string
  /** Files of parley outside `parleyHome`, such as targets of its links. */
  readonly own?: readonly string[]
  /** Folders of server sockets. */
  readonly runFolders?: readonly string[]
}

/** Lists the paths of secrets known by name, under the user's home, parley's home and the system's folders. */
export async function secretPaths(
  { home, parleyHome, own = [], runFolders = [] }: SecretHomes,
  files: EnvironmentFiles,
): Promise<SecretPaths> {
  const written = [...underHome.map((name) => join(home, name)), parleyHome, ...own, ...runFolders, ...systemPaths]
  const real = await Promise.all(written.map((path) => files.realPath(path).catch(whenUnknown(path))))
  return [...new Set([...written, ...real])]
}

// Environment, memory and open files of processes; memory, keys and messages of the kernel.
const secretProcFile = /^\/proc\/(?:(?:\d+|self|thread-self)\/.|(?:kcore|kmsg|keys)$)/
// Secrets of other users whose home folders this user may read.
const secretOfAnyHome =
  /^\/(?:home\/[^/]+|Users\/[^/]+|root)\/(?:\.ssh|\.gnupg|\.aws|\.azure|\.kube|\.docker|\.netrc|\.npmrc|\.pgpass|\.git-credentials|\.password-store)(?:\/|$)/i
const harmlessDevice = /^\/dev\/(?:null|zero|full|random|urandom|stdin|stdout|stderr|tty)$/

/** Returns true for a path of, or below, a secret. Ignores case, as some file systems do. */
export function isSecret(path: string, secrets: SecretPaths): boolean {
  if (
    secretProcFile.test(path) ||
    secretOfAnyHome.test(path) ||
    (path.startsWith('/dev/') && !harmlessDevice.test(path))
  )
    return true
  const folded = `${path.toLowerCase().replace(/\/+/g, '/')}/`
  return secrets.some((secret) => folded.startsWith(`${secret.toLowerCase()}/`))
}

/** Returns true when a folder contains a secret that exists now. */
export async function holdsSecrets(folder: string, secrets: SecretPaths, files: EnvironmentFiles): Promise<boolean> {
  if (['/proc', '/dev'].some((system) => liesWithin(system, folder) || liesWithin(folder, system))) return true
  const folded = `${folder.toLowerCase().replace(/\/+$/, '')}/`
  const below = secrets.filter((secret) => `${secret.toLowerCase()}/`.startsWith(folded))
  const existing = await Promise.all(
    below.map((secret) =>
      files
        .look(secret)
        .then(() => true)
        .catch(whenUnknown(false)),
    ),
  )
  return existing.includes(true)
}
