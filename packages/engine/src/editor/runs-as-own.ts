import { resolve } from 'node:path'
import { followLinks } from '@parley/host'
import { projectRoot } from '@parley/policy'
import { type Environment, findProgram, liesWithin, realOrGiven, whenUnknown } from '@parley/workspace'
import type { EditorServer } from '../ports/editor.ts'
import type { Workspace } from '../tools/contract/tool.ts'
import { choosesNoCode } from './harmless-variables.ts'
import { type LaunchWords, launchWords } from './launch-forms.ts'

/** Longest word that is searched for paths; a path has fewer characters. */
const longestWord = 4096

type Machine = Pick<Environment, 'home' | 'env' | 'files'>

/** Folder of a session, and all folders that its commands or its project may change, by their given and real paths. */
interface ChangeableFolders {
  readonly cwd: string
  readonly roots: readonly string[]
  readonly environment: Machine
}

/**
 * Resolves to the path of a server's program that may run with the rights of the user; null where it may not, or is not
 * found. Program, script, arguments and variables must not lead into the workspace: code of a repository does not run as
 * the user.
 */
export async function runsAsOwn(
  server: EditorServer,
  workspace: Workspace,
  environment: Machine,
): Promise<string | null> {
  const changeable = changeableFolders(workspace, environment)
  const { command, args, env } = server
  // It starts in the home folder, and would find files of the workspace there.
  if (isWithin(environment.home, changeable.roots)) return null
  for (const [name, value] of Object.entries(env))
    if (!choosesNoCode(name, value) || (await leadsInto(value, changeable))) return null
  const { path, real, insideRoots } = await findProgram({
    ...{ name: command, searchPath: environment.env['PATH'] ?? '', cwd: changeable.cwd, roots: changeable.roots },
    files: environment.files,
  })
  if (path === null || insideRoots) return null
  const words = launchWords([command, ...args], real ?? path)
  return words !== null && (await staysOutside(words, changeable)) ? path : null
}

/** Tells if no word of a command line leads into the folders; an argument of the server may be such a folder itself. */
async function staysOutside({ choosing, serverArgs }: LaunchWords, changeable: ChangeableFolders): Promise<boolean> {
  if (choosing.some((word) => holdsFolder(word, changeable))) return false
  for (const word of [...choosing, ...serverArgs.filter((each) => !isFolder(each, changeable))])
    if (holdsUnresolvedPath(word) || (await leadsInto(word, changeable))) return false
  return true
}

function changeableFolders({ cwd, roots }: Workspace, environment: Machine): ChangeableFolders {
  const project = projectRoot(cwd)?.folder
  const given = [cwd, ...roots, ...(project === undefined ? [] : [project])]
  return { cwd: realOrGiven(cwd), roots: [...new Set([...given, ...given.map(realOrGiven)])], environment }
}

function isWithin(path: string, roots: readonly string[]): boolean {
  return [resolve(path), followLinks(path).real].some((one) => roots.some((root) => liesWithin(one, root)))
}

/** Joins folder and path without resolving them: a `..` leaves the folder that a link before it leads to. */
function joinUnresolved(folder: string, path: string): string {
  return path.startsWith('/') ? path : `${folder}/${path}`
}

/** Tells if a word is exactly one of the folders, on which a program may work. */
function isFolder(word: string, { roots }: ChangeableFolders): boolean {
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
 * Tells if a word holds a path with a target that is not known here: a relative one, since the program may change its
 * folder, one with signs that a shell expands, the address of a file, or one below the folder of a process.
 */
function holdsUnresolvedPath(word: string): boolean {
  if (word.length > longestWord || /\bfile:/i.test(word)) return true
  return piecesOf(word).some(
    (piece) => piece.includes('/') && (!piece.startsWith('/') || /[*?[\]{}$`\\]|^\/+(?:proc|dev\/fd)\//.test(piece)),
  )
}

/** Tells if a word leads to a folder that holds one of the folders. */
function holdsFolder(word: string, { roots }: ChangeableFolders): boolean {
  return piecesOf(word).some(
    (piece) => piece.startsWith('/') && roots.some((root) => liesWithin(root, followLinks(piece).real)),
  )
}

/** Tells if a text names one of the folders, or a part of it leads into one. */
async function leadsInto(text: string, { cwd, roots, environment }: ChangeableFolders): Promise<boolean> {
  if (text.length > longestWord || roots.some((root) => namesFolder(text, root))) return true
  for (const piece of [text, ...piecesOf(text)]) {
    if (isWithin(joinUnresolved(environment.home, piece), roots)) return true
    const path = joinUnresolved(cwd, piece)
    // A relative path counts from the workspace where it names an existing file.
    const exists = () => environment.files.look(realOrGiven(path)).then(() => true, whenUnknown(false))
    if (isWithin(path, roots) && (await exists())) return true
  }
  return false
}

/** Tells if a text holds the path of a folder, and not only the beginning of another name. */
function namesFolder(text: string, folder: string): boolean {
  const [name, words] = [folder.toLowerCase(), text.toLowerCase()]
  for (let at = words.indexOf(name); at !== -1; at = words.indexOf(name, at + 1))
    if (!/[\w-]/.test(words[at + name.length] ?? '')) return true
  return false
}
