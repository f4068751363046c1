import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { SpanError } from './find-span.ts'
import { type Git, isProblem, problemText } from './safe-git.ts'
import { findWorkTree, type WorkTree } from './work-tree.ts'

/** Submodule that is checked out: its work tree, or the reason why it is unknown. */
export interface Submodule {
  /** Path from the top of the repository that holds it. */
  readonly name: string
  readonly tree: WorkTree | { readonly problem: string }
}

interface Submodules {
  readonly submodules: readonly Submodule[]
  /** True if the repository has more files than were searched. */
  readonly isListCut: boolean
}

/** Limit of the listing of an index: some millions of files. */
const maxIndexBytes = 256 * 1024 * 1024

/**
 * Finds the submodules of a repository that are checked out, also submodules without an entry in `.gitmodules`. Throws
 * `SpanError` if git cannot list them. Does not let git enter them: it would run programs of their settings.
 */
export async function findSubmodules(git: Git, tree: WorkTree, env: NodeJS.ProcessEnv): Promise<Submodules> {
  const listed = await git(['ls-files', '--stage', '-z'], maxIndexBytes)
  const isListCut = listed.kind === 'ended' && listed.isCut
  if (listed.kind === 'failed' || (isProblem(listed) && !isListCut)) throw new SpanError(problemText(listed, tree.top))
  const submodules: Submodule[] = []
  for (const name of namesIn(listed.output)) {
    const found = await submoduleAt(name, tree, env)
    if (found !== null) submodules.push(found)
  }
  return { submodules, isListCut }
}

const mode = '160000 '

/** Returns the names of the submodules in a listing. Searches its bytes, because it may have hundreds of thousands of files. */
function namesIn(listing: Buffer): ReadonlySet<string> {
  const names = new Set<string>()
  for (let at = listing.indexOf(mode); at >= 0; at = listing.indexOf(mode, at + 1)) {
    const end = listing.indexOf(0, at)
    const isEntry = (at === 0 || listing[at - 1] === 0) && end >= 0
    if (isEntry) names.add(listing.toString('utf8', listing.indexOf('\t', at) + 1, end))
  }
  return names
}

/** Returns null for a submodule that is not checked out. */
async function submoduleAt(
  name: string,
  { top, below, at }: WorkTree,
  env: NodeJS.ProcessEnv,
): Promise<Submodule | null> {
  const folder = join(top, name)
  const isCheckedOut = await lstat(join(folder, '.git')).then(
    () => true,
    () => false,
  )
  if (!isCheckedOut) return null
  const found = await findWorkTree(folder, env)
  if ('problem' in found) return { name, tree: found }
  // Git takes a folder with an invalid `.git` for a part of the repository around it.
  if (found.top === top) return null
  return { name, tree: found.top === folder ? { top: folder, below, at: join(at, name) } : elsewhere(found.top) }
}

function elsewhere(top: string) {
  return { problem: `Its work tree is ${top}.` }
}
