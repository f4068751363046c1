import { type EnvironmentFiles, holdsSecrets, isSecret, liesWithin, whenUnknown } from '@parley/workspace'
import type { PlaceRead } from '../decision/facts.ts'
import type { JudgedCommand, Surroundings } from './gather-command-facts.ts'

export interface Leads {
  /** Commands that leave the roots, or read a folder where only files are safe. */
  readonly notSafe: ReadonlySet<JudgedCommand>
  /** The word that leads to a secret. */
  readonly secret: string | null
  /** What the words of known-safe commands name that exists. */
  readonly reads: readonly PlaceRead[]
}

const maxFolders = 16
const maxReads = 500
/** Known-safe programs that open none of the files their words may name. */
const printers: ReadonlySet<string> = new Set(['echo', 'printf', 'true', 'false', 'pwd'])

/**
 * Follows the words of each command to the files they may name, from every folder a `cd` before it may have led to
 * (whether a `cd` took place depends on the commands around it).
 */
export async function whereCommandsLead(
  commands: readonly JudgedCommand[],
  cwd: string,
  around: Surroundings,
): Promise<Leads> {
  const folders = new Set([cwd])
  const notSafe = new Set<JudgedCommand>()
  const reads: PlaceRead[] = []
  let secret: string | null = null
  // All at once, for the usual script that stays where it is.
  const fromHere = await Promise.all(
    commands.map((command) => placesNamed(command, { folders: [cwd], files: around.files })),
  )
  for (const [index, command] of commands.entries()) {
    const here = folders.size === 1 ? fromHere[index] : undefined
    const named = here ?? (await placesNamed(command, { folders: [...folders], files: around.files }))
    secret ??= await secretWord(command, named, around)
    const read = await readBy(command, named, around.files)
    if (reads.length + read.length <= maxReads) reads.push(...read)
    else notSafe.add(command)
    const entered = command.part.program !== 'cd' || (await enter(command, folders, around))
    const filesOnly = command.safeUse?.filesOnly ?? false
    if (!entered || (filesOnly && !(await namesNoFolder(command, { folders: [...folders], files: around.files }))))
      notSafe.add(command)
  }
  return { notSafe, secret, reads }
}

interface NamedPlace {
  readonly word: string
  readonly written: string
  readonly real: string
}

/** Where a command may be when it runs. */
interface Standing {
  readonly folders: readonly string[]
  readonly files: EnvironmentFiles
}

async function placesNamed({ argv, safeUse }: JudgedCommand, standing: Standing): Promise<NamedPlace[]> {
  const words = new Set([...argv.slice(1), ...(safeUse?.readsBelow ? ['.'] : [])])
  const named = await Promise.all(
    [...words].flatMap((word) =>
      pathsIn(word).map(async (text) => (await placesOf(text, standing)).map((place) => ({ word, ...place }))),
    ),
  )
  return named.flat()
}

async function secretWord(
  { safeUse }: JudgedCommand,
  named: readonly NamedPlace[],
  { secrets, files }: Surroundings,
): Promise<string | null> {
  const leading = await Promise.all(
    named.map(async ({ word, written, real }) => {
      if (isSecret(written, secrets) || isSecret(real, secrets)) return word
      return safeUse?.readsBelow &&
        ((await holdsSecrets(written, secrets, files)) || (await holdsSecrets(real, secrets, files)))
        ? word
        : null
    }),
  )
  return leading.find((word) => word !== null) ?? null
}

async function readBy(
  { part, safeUse }: JudgedCommand,
  named: readonly NamedPlace[],
  files: EnvironmentFiles,
): Promise<PlaceRead[]> {
  if (safeUse === null || printers.has(part.program)) return []
  const read = await Promise.all(
    named.map(async ({ written, real }) => {
      const found = await files.look(real).catch(whenUnknown(null))
      return found === null ? [] : [{ path: written, real, recursive: safeUse.readsBelow && found.kind === 'folder' }]
    }),
  )
  return read.flat()
}

/** A word as a path, and the value of an option. */
function pathsIn(word: string): string[] {
  if (!word.startsWith('-')) return [word]
  const equals = word.indexOf('=')
  return [word, equals < 0 ? word.slice(2) : word.slice(equals + 1)].filter((text) => text !== '')
}

/** The path as written, and where its links lead. Joined as text, since the system follows a link before a `..`. */
async function placesOf(
  text: string,
  { folders, files }: Standing,
): Promise<{ readonly written: string; readonly real: string }[]> {
  if (text.includes('\0')) return []
  const paths = text.startsWith('/') ? [text] : folders.map((folder) => `${folder}/${text}`)
  return Promise.all(
    paths.map(async (written) => ({ written, real: await files.realPath(written).catch(whenUnknown(written)) })),
  )
}

async function enter({ argv }: JudgedCommand, folders: Set<string>, around: Surroundings): Promise<boolean> {
  const places = await placesOf(argv[1] ?? '', { folders: [...folders], files: around.files })
  for (const { written, real } of places) folders.add(written).add(real)
  return folders.size <= maxFolders && places.every(({ real }) => around.roots.some((root) => liesWithin(real, root)))
}

async function namesNoFolder({ argv }: JudgedCommand, standing: Standing): Promise<boolean> {
  for (const word of argv.slice(1)) {
    for (const { real } of await placesOf(word, standing)) {
      const isFolder = await standing.files
        .look(real)
        .then(({ kind }) => kind === 'folder')
        .catch(whenUnknown(false))
      if (isFolder) return false
    }
  }
  return true
}
