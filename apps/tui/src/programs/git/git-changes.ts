import type { ReviewedChanges } from '@parley/presentation/commands/review-words'
import { joinShellWords } from '@parley/text'
import { type ChangedFile, remarkLines } from './changed-file.ts'
import { findSpan, SpanError } from './find-span.ts'
import { type DiffedFile, readSections } from './git-sections.ts'
import { withHiddenText } from './hidden-text.ts'
import { readNewFiles } from './new-files.ts'
import { createGit, createUnfilteredGit, type Git, problemText } from './safe-git.ts'
import { findSubmodules, type Submodule } from './submodules.ts'
import { findWorkTree, pathFromFolder, type WorkTree } from './work-tree.ts'

export interface Changes {
  readonly kind: 'changes'
  /** Files of the whole work tree, with paths from the folder. */
  readonly files: readonly ChangedFile[]
  /** True when more files differ than could be listed. */
  readonly isListCut: boolean
  readonly tree: WorkTree
}

export type GitChanges = Changes | { readonly kind: 'problem'; readonly text: string }

const maxDiffBytes = 4 * 1024 * 1024

/** `--submodule=short`: other forms start git in a submodule, which runs programs of its settings. */
const diffOptions = [
  ...['--no-ext-diff', '--no-textconv', '--no-color', '--find-renames', '--src-prefix=a/', '--dst-prefix=b/'],
  ...['--ignore-submodules=dirty', '--submodule=short', '--raw', '--numstat', '--patch', '-z'],
]

/** Reads the changes in the repository of a folder: by default since its last commit, new files included. */
export async function readGitChanges(
  folder: string,
  env: NodeJS.ProcessEnv,
  span: ReviewedChanges = { kind: 'workTree' },
): Promise<GitChanges> {
  const tree = await findWorkTree(folder, env)
  if ('problem' in tree) return { kind: 'problem', text: tree.problem }
  return changesOf(tree, span, env)
}

async function changesOf(tree: WorkTree, span: ReviewedChanges, env: NodeJS.ProcessEnv): Promise<GitChanges> {
  const git = await createUnfilteredGit(tree.top, env)
  if (typeof git !== 'function') return { kind: 'problem', text: problemText(git, tree.top) }
  try {
    const { from, to } = await findSpan(createGit(tree.top, env), tree.top, span)
    const repository = { git, tree, env }
    const lists = to === null ? await sinceCommit(from, repository) : [await readDiff([from, to], repository)]
    const isListCut = lists.some((list) => list.isListCut)
    return { kind: 'changes', files: lists.flatMap(({ files }) => files), isListCut, tree }
  } catch (error) {
    if (error instanceof SpanError) return { kind: 'problem', text: error.message }
    throw error
  }
}

interface Repository {
  readonly git: Git
  readonly tree: WorkTree
  readonly env: NodeJS.ProcessEnv
}

type ListedChanges = Pick<Changes, 'files' | 'isListCut'>

/** Reads the changes of the work tree since a commit, and staged changes that the work tree has no longer. */
async function sinceCommit(commit: string, repository: Repository): Promise<readonly ListedChanges[]> {
  const { git, tree } = repository
  const [tracked, staged, created, inside] = await Promise.all([
    readDiff([commit], repository),
    readDiff(['--cached', commit], repository),
    readNewFiles(git, tree.top, (name) => pathFromFolder(tree, name)),
    insideSubmodules(repository),
  ])
  const files = stagedOnly(staged.files, tracked.files)
  return [tracked, { files, isListCut: staged.isListCut }, created, ...inside]
}

/** Reads the changes inside submodules, nested ones included, since their commits. */
async function insideSubmodules({ git, tree, env }: Repository): Promise<readonly ListedChanges[]> {
  const { submodules, isListCut } = await findSubmodules(git, tree, env)
  const lists: ListedChanges[] = [{ files: [], isListCut }]
  // In order, because each submodule starts git several times.
  for (const submodule of submodules) lists.push(await insideSubmodule(submodule, tree, env))
  return lists
}

async function insideSubmodule(
  { name, tree }: Submodule,
  outer: WorkTree,
  env: NodeJS.ProcessEnv,
): Promise<ListedChanges> {
  const changes = 'problem' in tree ? tree : await changesOf(tree, { kind: 'workTree' }, env)
  if ('files' in changes) return changes
  const reason = 'problem' in changes ? changes.problem : changes.text
  const path = pathFromFolder(outer, name)
  const diff = remarkLines([`It is a submodule, and what is changed inside it is not known. ${reason}`])
  const shownBy = joinShellWords(['git', '-C', path, 'status'])
  const none = { additions: 0, deletions: 0, before: null, after: null }
  return { files: [{ ...none, path, kind: 'update', diff, isWhole: false, shownBy }], isListCut: false }
}

/** Reads a diff of the whole repository. Throws `SpanError` if git fails. */
async function readDiff(words: readonly string[], { git, tree }: Repository): Promise<ListedChanges> {
  const diff = await git(['diff', ...diffOptions, ...words, '--'], maxDiffBytes)
  if (diff.kind === 'failed') throw new SpanError(problemText(diff, tree.top))
  const { files, isListCut } = readSections(diff.output, diff.isCut)
  const whole = await withHiddenText(files, git, [...diffOptions, ...words])
  return { isListCut, files: whole.map((file) => withPathsFromFolder(file, words, tree)) }
}

function withPathsFromFolder(
  { isHidden: _, ...file }: DiffedFile,
  words: readonly string[],
  tree: WorkTree,
): ChangedFile {
  const path = pathFromFolder(tree, file.path)
  const after = file.movedTo === undefined ? [] : [pathFromFolder(tree, file.movedTo)]
  const [movedTo] = after
  return {
    ...file,
    path,
    ...(movedTo === undefined ? {} : { movedTo }),
    shownBy: diffCommand(words, [path, ...after], tree),
  }
}

/** Returns the command that shows the diff of paths, typed in the folder. */
function diffCommand(words: readonly string[], paths: readonly string[], tree: WorkTree): string {
  if (tree.at === '') return joinShellWords(['git', 'diff', ...words, '--', ...paths])
  // Git in a submodule takes paths from there only, or absolute paths.
  const named = paths.map((path) => `"$PWD"/${joinShellWords([path])}`)
  return `${joinShellWords(['git', '-C', pathFromFolder(tree, ''), 'diff', ...words, '--'])} ${named.join(' ')}`
}

/** Returns staged changes that the work tree has no longer: a commit would contain them. `tracked`: changes of the work tree. */
function stagedOnly(staged: readonly ChangedFile[], tracked: readonly ChangedFile[]): readonly ChangedFile[] {
  const byPath = new Map(tracked.map((file) => [nameOf(file), file]))
  return staged.flatMap((file) => {
    const here = byPath.get(nameOf(file))
    if (here === undefined) return [withRemark(file, 'This is staged and undone in the work tree')]
    return isWithin(file, here) ? [] : [withRemark(file, 'This is staged, and otherwise in the work tree')]
  })
}

function nameOf({ path, movedTo = path }: ChangedFile): string {
  return movedTo
}

function withRemark(file: ChangedFile, remark: string): ChangedFile {
  return { ...file, diff: `${remarkLines([`${remark}: a commit would contain it.`])}${file.diff}` }
}

/** Tests if one diff contains all lines that another one adds and removes. Passes if the containing diff is not whole. */
function isWithin({ diff }: ChangedFile, other: ChangedFile): boolean {
  if (!other.isWhole) return true
  const lines = new Set(other.diff.split('\n'))
  return diff.split('\n').every((line) => !/^[+-]/.test(line) || lines.has(line))
}
