import { resolve } from 'node:path'
import { followLinks } from '@parley/host'
import { projectRoot } from '@parley/policy'
import { type Environment, findProgram, liesWithin, realOrGiven, whenUnknown } from '@parley/workspace'
import type { EditorServer } from '../ports/editor.ts'
import type { Workspace } from '../tools/contract/tool.ts'
import { choosesNoCode } from './harmless-variables.ts'
import { type LaunchWords, launchWords } from './launch-forms.ts'

/** Longest word that is looked into; a path has fewer characters. */
const longestWord = 4096

type Machine = Pick<Environment, 'home' | 'env' | 'files'>

/** Folder of a session, and all folders that its commands or its project may change, by their given and real paths. */
interface ChangeableFolders {
  readonly cwd: string
  readonly roots: readonly string[]
  readonly environment: Machine
}

/**
 * Resolves to the path of the program of a server that has nothing to do with a workspace; null for any other, and for one
 * that is not found. Neither the program nor its script lies in one, it is given no file of one, and each variable is one
 * that chooses no code: what a repository brings does not run as the user.
 */
export async function runsAsOwn(
  server: EditorServer,
  workspace: Workspace,
  environment: Machine,
): Promise<string | null> {
  const around = aroundOf(workspace, environment)
  const { command, args, env } = server
  // It would find what the workspace has in the folder that it starts in.
  if (isWithin(environment.home, around.roots)) return null
  for (const [name, value] of Object.entries(env))
    if (!choosesNoCode(name, value) || (await leadsThere(value, around))) return null
  const { path, real, insideRoots } = await findProgram({
    ...{ name: command, searchPath: environment.env['PATH'] ?? '', cwd: around.cwd, roots: around.roots },
    files: environment.files,
  })
  if (path === null || insideRoots) return null
  const words = launchWords([command, ...args], real ?? path)
  return words !== null && (await standsApart(words, around)) ? path : null
}

/** Tells if no word of a launch leads into the folders; one that is handed to the server may be such a folder itself. */
async function standsApart({ choosing, handed }: LaunchWords, around: ChangeableFolders): Promise<boolean> {
  if (choosing.some((word) => isAround(word, around))) return false
  for (const word of [...choosing, ...handed.filter((each) => !isOneOf(each, around))])
    if (isBuilt(word) || (await leadsThere(word, around))) return false
  return true
}

function aroundOf({ cwd, roots }: Workspace, environment: Machine): ChangeableFolders {
  const project = projectRoot(cwd)?.folder
  const given = [cwd, ...roots, ...(project === undefined ? [] : [project])]
  return { cwd: realOrGiven(cwd), roots: [...new Set([...given, ...given.map(realOrGiven)])], environment }
}

function isWithin(path: string, roots: readonly string[]): boolean {
  return [resolve(path), followLinks(path).real].some((one) => roots.some((root) => liesWithin(one, root)))
}

/** Returns a path from a folder as it is written: a `..` leaves the folder that a link before it leads to. */
function from(folder: string, path: string): string {
  return path.startsWith('/') ? path : `${folder}/${path}`
}

/** Tells if a word is exactly one of the folders, on which a program may work. */
function isOneOf(word: string, { roots }: ChangeableFolders): boolean {
  return roots.includes(word.replace(/(?<=.)\/$/, ''))
}

/** Cuts a word where programs cut theirs, without the hosts of addresses and the letter of a short option. */
function piecesOf(word: string): readonly string[] {
  return word
    .replaceAll(/\b(?!file:)[a-z][a-z\d+.-]*:\/\/[^\s/?#]*/gi, '')
    .split(/[\s=,:;'"()|&<>]+/)
    .map((piece) => piece.replace(/^-[A-Za-z](?=.)/, ''))
    .filter((piece) => piece !== '')
}

/**
 * Tells if a word holds a path that only becomes one elsewhere: a relative one, since the program may go to another
 * folder, one with what a shell fills in, the address of a file, or one below the folder of a process.
 */
function isBuilt(word: string): boolean {
  if (word.length > longestWord || /\bfile:/i.test(word)) return true
  return piecesOf(word).some(
    (piece) => piece.includes('/') && (!piece.startsWith('/') || /[*?[\]{}$`\\]|^\/+(?:proc|dev\/fd)\//.test(piece)),
  )
}

/** Tells if a word leads to a folder in which one of the workspace lies. */
function isAround(word: string, { roots }: ChangeableFolders): boolean {
  return piecesOf(word).some(
    (piece) => piece.startsWith('/') && roots.some((root) => liesWithin(root, followLinks(piece).real)),
  )
}

/** Tells if a text names one of the folders, or a part of it leads into one. */
async function leadsThere(text: string, { cwd, roots, environment }: ChangeableFolders): Promise<boolean> {
  if (text.length > longestWord || roots.some((root) => isNamed(root, text))) return true
  for (const piece of [text, ...piecesOf(text)]) {
    if (isWithin(from(environment.home, piece), roots)) return true
    const path = from(cwd, piece)
    // A relative one that counts from the workspace, where something is there.
    if (isWithin(path, roots) && (await isThere(path, environment))) return true
  }
  return false
}

/** Tells if a text holds the path of a folder, and not only the beginning of another name. */
function isNamed(folder: string, text: string): boolean {
  const [sought, within] = [folder.toLowerCase(), text.toLowerCase()]
  for (let at = within.indexOf(sought); at !== -1; at = within.indexOf(sought, at + 1))
    if (!/[\w-]/.test(within[at + sought.length] ?? '')) return true
  return false
}

async function isThere(path: string, { files }: Machine): Promise<boolean> {
  return await files.look(realOrGiven(path)).then(() => true, whenUnknown(false))
}
