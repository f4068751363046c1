import { isAbsolute, join, relative, resolve } from 'node:path'
import { type ConfiguredHook, type McpServerConfig, printable } from '@parley/config'
import { errorCode, isMissing, orNull, parseRecord } from '@parley/text'
import { contentHash, liesWithin, systemErrorReason } from '@parley/workspace'
import { enteredIn, modulesIn, pathsOfModule, wordsIn } from './paths-in-commands.ts'
import { projectFolderName } from './project-root.ts'
import type { FoundPaths, ProjectTree, RootedTree } from './project-tree.ts'

/** Limit for all files of a project together: enough for large bundled servers, short enough to wait for. */
const maxBytes = 128 * 1024 * 1024
const maxFiles = 200

/** File of the project that its servers run or name. Trust is bound to its content. */
export interface ProgramFile {
  /** Path relative to the root. */
  readonly path: string
  /** Hash of the content, or the kind of another entry: a missing one, a folder, a link that leads out. */
  readonly content: string
}

export interface Programs {
  readonly files: readonly ProgramFile[]
  /** Reason why trust cannot be bound to all files, so that the project cannot be trusted; else null. */
  readonly problem: string | null
}

/** Hashes every file of the project that its servers and hooks name. Files that these load in turn are not known. */
export function hashPrograms(project: ProgramPlace, commands: ProjectCommands): Programs {
  const named = pathsIn(project, commands)
  if ('problem' in named) return { files: [], problem: named.problem }
  let leftBytes = maxBytes
  const files: ProgramFile[] = []
  for (const path of named.paths) {
    const content = contentOf(project, path, leftBytes)
    if ('problem' in content)
      return { files: [], problem: `${printable(path)} cannot be looked at: ${content.problem}` }
    leftBytes -= content.sizeBytes
    files.push({ path, content: content.text })
  }
  return { files, problem: null }
}

/** Looks at each of the files by itself, so that files of another machine are fetched together. */
export function askForPrograms(project: ProgramPlace, commands: ProjectCommands): void {
  const named = pathsIn(project, commands)
  if ('paths' in named) for (const path of named.paths) contentOf(project, path, maxBytes)
}

/** Returns the paths relative to the root, sorted; a problem for an unreadable search path, or for too many files. */
function pathsIn(project: ProgramPlace, { servers, hooks }: ProjectCommands): FoundPaths {
  try {
    const named = [...servers.flatMap((section) => namedFiles(section, project)), ...filesOfHooks(hooks, project)]
    const paths = [...new Set(named.map((path) => relative(project.root, path) || '.'))].toSorted()
    return paths.length > maxFiles
      ? { problem: `its tool servers and hooks name more than ${maxFiles} files` }
      : { paths }
  } catch (error) {
    return { problem: `its tool servers and hooks cannot be looked at: ${systemErrorReason(error)}` }
  }
}

/** Folder of a project, the files that it is read from, and the search path of its machine. */
interface ProgramPlace extends RootedTree {
  readonly searchPath: string
}

/** Returns the program and all arguments and variables that may be files of the project. */
function namedFiles(section: McpServerConfig, { root, tree, searchPath }: ProgramPlace): readonly string[] {
  const { command, args = [], env = {}, cwd = '.' } = section
  if (command === undefined) return []
  const folder = resolve(root, cwd)
  const program = command.includes('/')
    ? resolve(folder, command)
    : foundOn(tree, { searchPath: env['PATH'] ?? searchPath, folder }, command)
  const texts = [...args, ...Object.values(env)]
  const folders = [folder, ...texts.flatMap(enteredIn).map((path) => resolve(folder, path))]
  const modules = modulesIn(args).flatMap(pathsOfModule)
  const moduleFolders = ['.', ...(env['PYTHONPATH'] ?? '').split(':')].map((entry) => resolve(folder, entry))
  const named = [
    ...texts
      .flatMap((text) => [...(text.startsWith('-') ? [] : [text]), ...wordsIn(text)])
      .flatMap((word) => folders.map((at) => resolve(at, word))),
    ...moduleFolders.flatMap((base) => modules.map((path) => resolve(base, path))),
  ]
  const paths = [...(program === null ? [] : [program]), ...named]
  return paths.filter((path) => liesWithin(path, root))
}

/** Endings that node, python and others add to a name without a file. */
const impliedEndings = ['.js', '.mjs', '.cjs', '.ts', '.json', '.node', '.py', '.pyc', '.so', '.abi3.so']

/** Programs that a project's configuration starts. */
interface ProjectCommands {
  readonly servers: readonly McpServerConfig[]
  readonly hooks: readonly ConfiguredHook[]
}

/** Folder of files that belong to the hooks of a project, named or not. */
const hookFolder = join(projectFolderName, 'hooks')

/** Returns the paths in the commands of hooks, and all files of their folder. */
function filesOfHooks(hooks: readonly ConfiguredHook[], project: RootedTree): readonly string[] {
  if (hooks.length === 0) return []
  return [
    ...hooks.flatMap((hook) => filesOfHook(hook, project)),
    ...filesBelow(join(project.root, hookFolder), project.tree),
  ]
}

/** Returns the paths in the command of a hook: words with the form of a path, and names of existing files. */
function filesOfHook({ command }: Pick<ConfiguredHook, 'command'>, { root, tree }: RootedTree): readonly string[] {
  const texts = typeof command === 'string' ? [command] : command
  const folders = [root, ...texts.flatMap(enteredIn).map((path) => resolve(root, path))]
  const isNamed = (word: string, path: string) =>
    /[./]/.test(word) || !['folder', null].includes(orNull(() => tree.look(path)?.kind ?? null))
  return [...(typeof command === 'string' ? [] : command), ...texts.flatMap(wordsIn)]
    .flatMap((word) => folders.map((folder) => resolve(folder, word)).filter((path) => isNamed(word, path)))
    .filter((path) => liesWithin(path, root) && path !== root)
}

/**
 * Returns the trusted files that a hook runs in the project, not in the copy of them: its command names the project
 * itself.
 */
export function filesRunInPlace(
  hook: Pick<ConfiguredHook, 'command'>,
  { root, tree, programs }: RootedTree & { programs(): Programs },
): readonly ProgramFile[] {
  const text = typeof hook.command === 'string' ? hook.command : hook.command.join(' ')
  if (!text.includes('PARLEY_PROJECT_DIR') && !text.includes(root)) return []
  const named = new Set(filesOfHook(hook, { root, tree }).map((path) => relative(root, path)))
  return programs().files.filter(({ path }) => named.has(path))
}

/** Returns the files below a folder; it stops soon after `maxFiles`. */
function filesBelow(folder: string, tree: ProjectTree): readonly string[] {
  const found: string[] = []
  const folders = [folder]
  for (let next = folders.pop(); next !== undefined && found.length <= maxFiles; next = folders.pop())
    for (const { name, kind } of entriesOf(next, tree)) (kind === 'folder' ? folders : found).push(join(next, name))
  return found
}

/** Lists a folder; an empty list where it cannot be read: hooks run without unread files. */
function entriesOf(folder: string, tree: ProjectTree) {
  return orNull(() => tree.list(folder)) ?? []
}

/** Returns whether a file still has the content that was trusted. */
export function isUnchanged(project: RootedTree, { path, content }: ProgramFile): boolean {
  const now = contentOf(project, path, maxBytes)
  return 'text' in now && now.text === content
}

type ProgramContent = { readonly text: string; readonly sizeBytes: number } | { readonly problem: string }

/** Describes the content of a path; equal texts mean equal content. */
function contentOf(project: RootedTree, path: string, leftBytes: number): ProgramContent {
  try {
    return describe(project, path, leftBytes)
  } catch (error) {
    return { problem: systemErrorReason(error) }
  }
}

function describe(project: RootedTree, path: string, leftBytes: number): ProgramContent {
  const { root, tree } = project
  const real = realOrMissing(tree, resolve(root, path))
  if (real === null) return listContent(project, { kind: 'absent', paths: impliedFiles(project, path) }, leftBytes)
  if (!liesWithin(real, root)) return { text: `outside:${real}`, sizeBytes: 0 }
  if (tree.look(real)?.kind === 'folder') {
    const paths = [...impliedFiles(project, path), ...startFilesOf(project, real)]
    return listContent(project, { kind: 'folder', paths }, leftBytes)
  }
  const hashed = tree.hash({ root, path: relative(root, real), maxBytes: leftBytes })
  return 'problem' in hashed ? hashed : { text: `sha256:${hashed.hash}`, sizeBytes: hashed.sizeBytes }
}

function realOrMissing(tree: ProjectTree, path: string): string | null {
  try {
    return tree.real(path)
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** Files that programs such as node, python and deno start from when they are given a folder. */
const startFiles =
  /^(?:package\.json|deno\.jsonc?|pyproject\.toml|__main__\.pyc?|__init__\.pyc?|(?:index|main|mod|server)\.\w+)$/

/** Returns the files of a folder that a program starts from, and the file in `main` of its package.json. */
function startFilesOf(project: RootedTree, folder: string): readonly string[] {
  const { root, tree } = project
  const names = tree.list(folder).flatMap(({ name }) => (startFiles.test(name) ? [name] : []))
  return [...names.map((name) => join(folder, name)), ...mainOf(project, folder)].map((path) => relative(root, path))
}

/** Returns the files that programs take for a name: node runs `srv.js` for `srv`, also where a folder `srv` is. */
function impliedFiles({ root, tree }: RootedTree, path: string): readonly string[] {
  const implied = impliedEndings.map((ending) => `${path}${ending}`)
  return implied.filter((file) => mayBeThere(resolve(root, file), tree))
}

function mayBeThere(path: string, tree: ProjectTree): boolean {
  try {
    return tree.look(path) !== null
  } catch (error) {
    return !isMissing(error) && errorCode(error) !== 'ENAMETOOLONG'
  }
}

/** Describes a name that is not a file by the content of the files that programs run in its place. */
function listContent(
  project: RootedTree,
  { kind, paths }: { readonly kind: 'absent' | 'folder'; readonly paths: readonly string[] },
  leftBytes: number,
): ProgramContent {
  const { root } = project
  const inside = paths.filter((path) => path !== '' && liesWithin(resolve(root, path), root))
  const lines: string[] = []
  let sizeBytes = 0
  for (const path of [...new Set(inside)].toSorted()) {
    const content: ProgramContent = isFolder(project, path)
      ? { text: 'folder', sizeBytes: 0 }
      : contentOf(project, path, leftBytes - sizeBytes)
    if ('problem' in content) return content
    sizeBytes += content.sizeBytes
    lines.push(JSON.stringify([path, content.text]))
  }
  if (lines.length === 0) return { text: kind, sizeBytes }
  return { text: `${kind}:${contentHash(lines.join('\n'))}`, sizeBytes }
}

function isFolder({ root, tree }: RootedTree, path: string): boolean {
  const real = realOrMissing(tree, resolve(root, path))
  return real !== null && tree.look(real)?.kind === 'folder'
}

const maxDescriptionBytes = 1024 * 1024

function mainOf({ root, tree }: RootedTree, folder: string): string[] {
  const chunks: Buffer[] = []
  const wanted = { root, path: relative(root, join(folder, 'package.json')), maxBytes: maxDescriptionBytes }
  if (tree.visit(wanted, (chunk) => chunks.push(Buffer.from(chunk))) !== null) return []
  const { main } = parseRecord(Buffer.concat(chunks).toString('utf8')) ?? {}
  return typeof main === 'string' ? [main, `${main}.js`, `${main}/index.js`].map((path) => join(folder, path)) : []
}

/** Finds a program as the system does: relative entries of the search path start from the server's folder. */
function foundOn(
  tree: ProjectTree,
  { searchPath, folder }: { readonly searchPath: string; readonly folder: string },
  name: string,
): string | null {
  const paths = searchPath.split(':').map((entry) => join(isAbsolute(entry) ? entry : resolve(folder, entry), name))
  return paths.find((path) => tree.isProgram(path)) ?? null
}
