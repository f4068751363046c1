import {
  type EnvironmentFiles,
  holdsSecrets,
  isSecret,
  liesWithin,
  type SecretPaths,
  whenUnknown,
} from '@parley/workspace'
import type { CommandPart } from '../decision/kinds/command/facts.ts'
import type { SafeUse } from '../decision/kinds/command/known-safe.ts'
import type { ReadPath } from '../decision/kinds/read.ts'
import type { ShellParser } from '../shell/parse-shell.ts'

export interface CommandSurroundings {
  /** Writable folders as absolute paths; the conversation's own comes first. */
  readonly roots: readonly string[]
  /** PATH of the command. */
  readonly searchPath: string
  readonly secrets: SecretPaths
  readonly shell: ShellParser
  /** Files of the machine that runs the command. */
  readonly files: EnvironmentFiles
}

export interface JudgedCommand {
  readonly argv: readonly string[]
  readonly part: CommandPart
  readonly safeUse: SafeUse | null
}

interface CommandPaths {
  /** Commands that leave the roots, or read a folder where only files are safe. */
  readonly notSafe: ReadonlySet<JudgedCommand>
  /** Word that leads to a secret, or null. */
  readonly secret: string | null
  /** Existing paths that known-safe commands name. */
  readonly reads: readonly ReadPath[]
}

const maxFolders = 16
const maxReads = 500
/** Known-safe programs that open no file named by their words. */
const printers: ReadonlySet<string> = new Set(['echo', 'printf', 'true', 'false', 'pwd'])

/**
 * Resolves the words of each command to the files they may name, from every folder that an earlier `cd` may have
 * entered. Whether a `cd` runs depends on the commands around it.
 */
export async function followCommandPaths(
  commands: readonly JudgedCommand[],
  cwd: string,
  around: CommandSurroundings,
): Promise<CommandPaths> {
  const folders = new Set([cwd])
  const notSafe = new Set<JudgedCommand>()
  const reads: ReadPath[] = []
  let secret: string | null = null
  // In parallel for the usual script without `cd`.
  const fromHere = await Promise.all(
    commands.map((command) => pathsNamed(command, { folders: [cwd], files: around.files })),
  )
  for (const [index, command] of commands.entries()) {
    const here = folders.size === 1 ? fromHere[index] : undefined
    const named = here ?? (await pathsNamed(command, { folders: [...folders], files: around.files }))
    secret ??= await secretWord(command, named, around)
    const read = await readBy(command, named, around.files)
    if (reads.length + read.length <= maxReads) for (const path of read) reads.push(path)
    else notSafe.add(command)
    const entered = command.part.program !== 'cd' || (await enter(command, folders, around))
    const filesOnly = command.safeUse?.filesOnly ?? false
    if (!entered || (filesOnly && !(await namesNoFolder(command, { folders: [...folders], files: around.files }))))
      notSafe.add(command)
  }
  return { notSafe, secret, reads }
}

interface NamedPath {
  readonly word: string
  readonly written: string
  readonly real: string
}

/** Folders that may be current when a command runs. */
interface CurrentFolders {
  readonly folders: readonly string[]
  readonly files: EnvironmentFiles
}

async function pathsNamed({ argv, safeUse }: JudgedCommand, current: CurrentFolders): Promise<NamedPath[]> {
  const words = new Set([...argv.slice(1), ...(safeUse?.readsBelow ? ['.'] : [])])
  const named = await Promise.all(
    [...words].flatMap((word) =>
      pathsIn(word).map(async (text) => (await resolvePaths(text, current)).map((path) => ({ word, ...path }))),
    ),
  )
  return named.flat()
}

async function secretWord(
  { safeUse }: JudgedCommand,
  named: readonly NamedPath[],
  { secrets, files }: CommandSurroundings,
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
  named: readonly NamedPath[],
  files: EnvironmentFiles,
): Promise<ReadPath[]> {
  if (safeUse === null || printers.has(part.program)) return []
  const read = await Promise.all(
    named.map(async ({ written, real }) => {
      const found = await files.look(real).catch(whenUnknown(null))
      return found === null ? [] : [{ path: written, real, recursive: safeUse.readsBelow && found.kind === 'folder' }]
    }),
  )
  return read.flat()
}

/** Returns the texts of a word that may be paths: the word itself and the value of an option. */
function pathsIn(word: string): string[] {
  if (!word.startsWith('-')) return [word]
  const equals = word.indexOf('=')
  return [word, equals < 0 ? word.slice(2) : word.slice(equals + 1)].filter((text) => text !== '')
}

/** Resolves a path from each folder. Joins as text, since the system follows a link before a `..`. */
async function resolvePaths(
  text: string,
  { folders, files }: CurrentFolders,
): Promise<{ readonly written: string; readonly real: string }[]> {
  if (text.includes('\0')) return []
  const paths = text.startsWith('/') ? [text] : folders.map((folder) => `${folder}/${text}`)
  return Promise.all(
    paths.map(async (written) => ({ written, real: await files.realPath(written).catch(whenUnknown(written)) })),
  )
}

async function enter({ argv }: JudgedCommand, folders: Set<string>, around: CommandSurroundings): Promise<boolean> {
  const paths = await resolvePaths(argv[1] ?? '', { folders: [...folders], files: around.files })
  for (const { written, real } of paths) folders.add(written).add(real)
  return folders.size <= maxFolders && paths.every(({ real }) => around.roots.some((root) => liesWithin(real, root)))
}

async function namesNoFolder({ argv }: JudgedCommand, current: CurrentFolders): Promise<boolean> {
  for (const word of argv.slice(1)) {
    for (const { real } of await resolvePaths(word, current)) {
      const isFolder = await current.files
        .look(real)
        .then(({ kind }) => kind === 'folder')
        .catch(whenUnknown(false))
      if (isFolder) return false
    }
  }
  return true
}
