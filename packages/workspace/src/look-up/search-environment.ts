import { join, relative } from 'node:path'
import { diskFiles } from '../files/disk-files.ts'
import type { EnvironmentFiles } from '../files/environment-files.ts'
import { liesWithin } from '../files/workspace-path.ts'
import { copyTree, type TreeCopy, usualCopyLimits } from './copy-tree.ts'
import type { SearchProgram } from './ripgrep-run.ts'
import { type SearchOutcome, type SearchScope, scopeProblem } from './search-text.ts'

interface EnvironmentSearch extends Omit<SearchScope, 'files' | 'ripgrep'> {
  readonly environment: { readonly files: EnvironmentFiles; readonly search: SearchProgram }
  readonly roots: readonly string[]
  readonly includeIgnored: boolean
  readonly search: (scope: SearchScope) => Promise<SearchOutcome>
}

/** Searches with the environment's own ripgrep. Without one, searches a local copy of the files. */
export async function searchEnvironment(request: EnvironmentSearch): Promise<SearchOutcome> {
  const { environment, roots, includeIgnored, search, ...scope } = request
  const { files } = environment
  const ripgrep = await environment.search.there(roots)
  if (ripgrep !== null) return search({ ...scope, files, ripgrep })
  const problem = (await scopeProblem({ ...scope, files })) ?? outsideProblem(scope)
  if (problem !== null) return { kind: 'failed', message: problem }
  await using copy = await copyTree({ ...scope, files, includeIgnored })
  const path = join(copy.folder, relative(scope.cwd, scope.path))
  const { here } = environment.search
  return withCopyNote(await search({ ...scope, cwd: copy.folder, path, files: diskFiles, ripgrep: here }), copy)
}

function outsideProblem({ path, cwd, shownPath }: Pick<SearchScope, 'path' | 'cwd' | 'shownPath'>): string | null {
  if (liesWithin(path, cwd)) return null
  return `${shownPath} lies outside the working directory, and without ripgrep on that machine only what lies in it can be searched.`
}

function withCopyNote(outcome: SearchOutcome, { truncated }: TreeCopy): SearchOutcome {
  if (outcome.kind === 'failed') return outcome
  const limit = truncated ? ` Only the first ${usualCopyLimits.files} files were searched.` : ''
  const note = `[There is no ripgrep on that machine: its files were read one by one, large ones left out.${limit}]`
  return { ...outcome, text: `${outcome.text}\n${note}`, complete: outcome.complete && !truncated }
}
