import { stat } from 'node:fs/promises'
import { realPathOf } from '../lookup/real-path.ts'
import { liesWithin } from '../lookup/workspace-path.ts'
import type { JudgedCommand, Surroundings } from './gather-command-facts.ts'
import { holdsSecrets, isSecret } from './secret-places.ts'

export interface Leads {
  /** Commands that leave the roots, or read a folder where only files are safe. */
  readonly notSafe: ReadonlySet<JudgedCommand>
  /** The word that leads to a secret. */
  readonly secret: string | null
}

const maxFolders = 16

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
  for (const command of commands) {
    const secret = await secretWord(command, [...folders], around)
    if (secret !== null) return { notSafe, secret }
    const entered = command.part.program !== 'cd' || (await enter(command, folders, around))
    const filesOnly = command.safeUse?.filesOnly ?? false
    if (!entered || (filesOnly && !(await namesNoFolder(command, [...folders])))) notSafe.add(command)
  }
  return { notSafe, secret: null }
}

async function secretWord(
  command: JudgedCommand,
  folders: readonly string[],
  around: Surroundings,
): Promise<string | null> {
  const below = command.safeUse?.readsBelow ?? false
  const words = new Set(below ? [...command.argv.slice(1), '.'] : command.argv.slice(1))
  const leading = await Promise.all(
    [...words].map(async (word) => {
      const places = (await Promise.all(pathsIn(word).map((text) => placesOf(text, folders)))).flat()
      if (places.some((place) => isSecret(place, around.secrets))) return word
      const held = below ? await Promise.all(places.map((place) => holdsSecrets(place, around.secrets))) : []
      return held.includes(true) ? word : null
    }),
  )
  return leading.find((word) => word !== null) ?? null
}

/** A word as a path, and the value of an option. */
function pathsIn(word: string): string[] {
  if (!word.startsWith('-')) return [word]
  const equals = word.indexOf('=')
  return [word, equals < 0 ? word.slice(2) : word.slice(equals + 1)].filter((text) => text !== '')
}

/** The path as written, and where its links lead. Joined as text, since the system follows a link before a `..`. */
async function placesOf(text: string, folders: readonly string[]): Promise<string[]> {
  if (text.includes('\0')) return []
  const written = text.startsWith('/') ? [text] : folders.map((folder) => `${folder}/${text}`)
  const real = await Promise.all(written.map((path) => realPathOf(path).catch(() => path)))
  return [...written, ...real]
}

async function enter({ argv }: JudgedCommand, folders: Set<string>, around: Surroundings): Promise<boolean> {
  const places = await placesOf(argv[1] ?? '', [...folders])
  for (const place of places) folders.add(place)
  const real = places.slice(places.length / 2)
  return folders.size <= maxFolders && real.every((place) => around.roots.some((root) => liesWithin(place, root)))
}

async function namesNoFolder({ argv }: JudgedCommand, folders: readonly string[]): Promise<boolean> {
  for (const word of argv.slice(1)) {
    for (const place of await placesOf(word, folders)) {
      const isFolder = await stat(place).then(
        (found) => found.isDirectory(),
        () => false,
      )
      if (isFolder) return false
    }
  }
  return true
}
