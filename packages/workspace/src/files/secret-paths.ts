import { basename, dirname, isAbsolute, join } from 'node:path'
import { secretPlaces, secretVariables, systemSecretPlaces } from '@parley/host'
import type { EnvironmentFiles } from './environment-files.ts'
import { whenUnknown } from './errors.ts'
import { liesWithin } from './real-path.ts'

/** Absolute paths of files and folders that contain secrets, each as written and with links followed. */
export type SecretPaths = readonly string[]

type EnvVariables = Readonly<Record<string, string | undefined>>

interface SecretHomes {
  readonly home: string
  /** Further homes of the user, such as the one in the system's list of users when HOME names another. */
  readonly otherHomes?: readonly string[]
  /** Variables of the user that make programs keep secrets elsewhere. */
  readonly env?: EnvVariables
  /** Folder that relative paths in `env` start from; without it they do not count. */
  readonly cwd?: string
  readonly parleyHome: string
  /** Files of parley outside `parleyHome`, such as targets of its links. */
  readonly own?: readonly string[]
  /** Folders of server sockets. */
  readonly runFolders?: readonly string[]
  /** Places that the user added. */
  readonly added?: readonly string[]
}

const placesAtHome = secretPlaces.flatMap(({ paths }) => paths)
const namedAtHome = placesAtHome.filter((place) => !place.includes('*'))
const patternsAtHome = placesAtHome.filter((place) => place.includes('*'))
const patternFolders = [...new Set(patternsAtHome.map((pattern) => dirname(pattern)))]

/** Lists the paths of secrets known by name, under the user's homes, parley's home and the system's folders. */
export async function secretPaths(
  { home, otherHomes = [], parleyHome, own = [], runFolders = [], added = [], env = {}, cwd }: SecretHomes,
  files: EnvironmentFiles,
): Promise<SecretPaths> {
  const look = lookOnce(files)
  const { resolve } = look
  const others = otherHomes.filter((other) => other !== home)
  const homes = [home, ...others]
  const atHomes = await Promise.all(homes.map((at) => placesBelow(at, look)))
  const homesNow = [...homes, ...(await Promise.all(homes.map(resolve)))]
  const mayMove = await Promise.all(movedPlaces(env, home, cwd).map(async (path) => [path, await resolve(path)]))
  const moved = mayMove.filter((paths) => paths.every((path) => canBeHidden(path, homesNow))).flat()
  const ownHomes = [parleyHome, ...others.map((other) => join(other, '.parley'))]
  const existing = [
    ...atHomes.flatMap((places) => places.existing),
    ...[...ownHomes, ...own, ...runFolders, ...added, ...moved, ...systemSecretPlaces],
  ]
  const real = await files.realPaths(existing)
  return [...new Set([...existing, ...real, ...atHomes.flatMap(({ missing }) => missing)])]
}

interface SecretsNow {
  readonly homes: readonly string[]
  /** Places that the user added, as they are now; null where they cannot be read, so that the earlier ones count. */
  readonly added: () => readonly string[] | null
  readonly find: (added: readonly string[]) => Promise<SecretPaths>
  readonly files: EnvironmentFiles
}

/**
 * Returns a function to the places of secrets as they are now. They are found anew when the user's own list has changed,
 * or a home holds other names that fit a pattern.
 */
export function currentSecrets({ homes, added, find, files }: SecretsNow): () => Promise<SecretPaths> {
  let own: readonly string[] = []
  let known: { readonly key: string; readonly paths: Promise<SecretPaths> } | null = null
  return async () => {
    own = added() ?? own
    const named = await Promise.all(homes.map((home) => namedByPatterns(home, (folder) => files.namesIn(folder))))
    const key = JSON.stringify([own, named])
    if (known?.key === key) return known.paths
    const paths = find(own)
    known = { key, paths }
    // A failure is not kept, so that the next call tries again.
    paths.catch(() => {
      if (known?.paths === paths) known = null
    })
    return paths
  }
}

/** Looks at paths, at each of them once: the same few folders hold most of the places. */
interface Look {
  /** Resolves to the real path, or to the path itself where that is unknown. */
  resolve(path: string): Promise<string>
  /** Resolves to the names in a folder; null where they are unknown, so that any may be there. */
  namesIn(folder: string): Promise<readonly string[] | null>
}

function lookOnce(files: EnvironmentFiles): Look {
  return {
    resolve: once(async (path) => (await files.realPaths([path]))[0] ?? path),
    namesIn: once((folder) => files.namesIn(folder)),
  }
}

function once<Value>(find: (path: string) => Promise<Value>): (path: string) => Promise<Value> {
  const found = new Map<string, Promise<Value>>()
  return (path) => {
    const value = found.get(path) ?? find(path)
    found.set(path, value)
    return value
  }
}

/** Returns the existing paths of a home; missing ones as written, and with the links of the home followed. */
async function placesBelow(home: string, look: Look) {
  const atHome = await existingAtHome(home, look)
  const missing = namedAtHome.filter((name) => !atHome.has(name))
  return {
    existing: [...atHome].map(pathBelow(home)),
    missing: [...new Set([home, await look.resolve(home)])].flatMap((at) => missing.map(pathBelow(at))),
  }
}

/** Returns a function that joins the folder with each of many names, which are normal already. */
function pathBelow(folder: string): (name: string) => string {
  const prefix = join(folder, '/')
  return (name) => prefix + name
}

/** Folders of the system that no variable hides as a whole: programs need them, and `/tmp` is each command's own. */
const neededFolders =
  /^\/(?:(?:bin|boot|dev|etc|home|lib\d*|media|mnt|opt|private|proc|root|run|sbin|srv|sys|tmp|Users|usr|var)(?:\/(?:bin|etc|lib|local|share|tmp|var))?)?$/
const systemFile = /^\/(?:dev|proc|sys)\//

/** Returns false for a folder that holds a home or the system, which cannot be hidden as a whole. */
function canBeHidden(path: string, homes: readonly string[]): boolean {
  return !systemFile.test(path) && !neededFolders.test(path) && !homes.some((home) => liesWithin(home, path))
}

/** Lists where variables of programs move their places to. */
function movedPlaces(env: EnvVariables, home: string, cwd: string | undefined): string[] {
  const moved = secretVariables.flatMap(({ name, insteadOf, below, isList }) => {
    const value = env[name] ?? ''
    const values = (isList ? value.split(':') : [value]).filter((path) => path !== '')
    if (values.length === 0) return []
    const paths = values.flatMap((path) => absolutePath(path, home, cwd))
    return paths.flatMap((path) => placesInsteadOf(insteadOf).map((place) => join(path, below, place)))
  })
  return [...new Set(moved.map((path) => path.replace(/(?<=.)\/$/, '')))]
}

/** Returns no path for a relative one where the working folder is not known. */
function absolutePath(path: string, home: string, cwd: string | undefined): string[] {
  if (path === '~' || path.startsWith('~/')) return [join(home, path.slice(1))]
  if (isAbsolute(path)) return [path]
  return cwd === undefined ? [] : [join(cwd, path)]
}

/** Returns the places in a folder of the home, relative to it; `''` for one that is, or lies in, a place itself. */
function placesInsteadOf(folder: string): readonly string[] {
  const within = namedAtHome.filter((place) => place.startsWith(`${folder}/`))
  const isWhole = namedAtHome.some((place) => liesWithin(folder, place))
  return isWhole || within.length === 0 ? [''] : within.map((place) => place.slice(folder.length + 1))
}

/**
 * Folders with many of the places, as prefixes of them. Most places do not exist, and to resolve each takes long over a
 * network.
 */
const listedFolders = ['.local/share/', '.config/', '']

/** Resolves to the places that exist or may exist, relative to the home, and to the names that fit the patterns. */
async function existingAtHome(home: string, { namesIn }: Look): Promise<ReadonlySet<string>> {
  const listed = await Promise.all(
    listedFolders.map(async (prefix) => {
      const names = await namesIn(join(home, dirname(`${prefix}-`)))
      return { prefix, names: names && foldedSet(names) }
    }),
  )
  const mayExist = (place: string) =>
    listed.every(
      ({ prefix, names }) => names === null || !place.startsWith(prefix) || names.has(firstName(place, prefix.length)),
    )
  return new Set([...namedAtHome.filter(mayExist), ...(await namedByPatterns(home, namesIn))])
}

/** Resolves to the names in a home that fit the patterns, relative to it. */
async function namedByPatterns(home: string, namesIn: Look['namesIn']): Promise<readonly string[]> {
  const listed = new Map(
    await Promise.all(patternFolders.map(async (at) => [at, await namesIn(join(home, at))] as const)),
  )
  return patternsAtHome.flatMap((pattern) => {
    const folder = dirname(pattern)
    const [start = '', end = ''] = basename(pattern).split('*')
    const fitting = (listed.get(folder) ?? []).filter((name) => name.length >= start.length + end.length)
    return fitting.filter((name) => name.startsWith(start) && name.endsWith(end)).map((name) => join(folder, name))
  })
}

/** Returns the name that begins at the offset, without regard to case. */
function firstName(place: string, offset: number): string {
  const end = place.indexOf('/', offset)
  return place.slice(offset, end < 0 ? place.length : end).toLowerCase()
}

// Environment, memory and open files of processes; memory, keys and messages of the kernel.
const secretProcFile = /^\/proc\/(?:(?:\d+|self|thread-self)\/.|(?:kcore|kmsg|keys)$)/
// Homes of other users, which this user may be able to read.
const anyHome = /^\/(?:home\/[^/]+|users\/[^/]+|root)\//
const foldedAtHome: ReadonlySet<string> = new Set(namedAtHome.map((name) => name.toLowerCase()))
const harmlessDevice = /^\/dev\/(?:null|zero|full|random|urandom|stdin|stdout|stderr|tty)$/

/** Returns true for a path of, or below, a secret. Ignores case, as some file systems do. */
export function isSecret(path: string, secrets: SecretPaths): boolean {
  if (secretProcFile.test(path) || (path.startsWith('/dev/') && !harmlessDevice.test(path))) return true
  const folded = path.toLowerCase().replace(/\/+/g, '/')
  const home = anyHome.exec(folded)?.[0]
  return isAmong(folded, foldedSet(secrets)) || (home !== undefined && isAmong(folded.slice(home.length), foldedAtHome))
}

/** Sets of the lists in use: a command asks for each of its words, and the lists are long. */
const foldedSets = new WeakMap<SecretPaths, ReadonlySet<string>>()

function foldedSet(secrets: SecretPaths): ReadonlySet<string> {
  const known = foldedSets.get(secrets)
  if (known !== undefined) return known
  const folded = new Set(secrets.map((secret) => secret.toLowerCase()))
  foldedSets.set(secrets, folded)
  return folded
}

/** Returns true when the path or a folder above it is in the set. */
function isAmong(path: string, places: ReadonlySet<string>): boolean {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1))
    if (places.has(path.slice(0, end))) return true
  return false
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
