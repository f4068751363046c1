import { join } from 'node:path'
import { limitDefaults } from '@parley/config/defaults'
import { isMissing } from '@parley/text'
import type { EnvironmentFiles } from '../files/environment-files.ts'
import { systemErrorReason } from '../files/errors.ts'
import { visiblePath } from './display-text.ts'
import { suggestForMissing } from './nearest-names.ts'
import { type FolderEntry, type IgnoreRules, ignoreRulesFor, readFolder, withRulesOf } from './read-folder.ts'
import { keptPaths } from './tracked-files.ts'

export interface ListRequest {
  readonly files: EnvironmentFiles
  /** Real path of the folder. */
  readonly path: string
  readonly shownPath: string
  /** Workspace root: `.gitignore` files from there on apply. */
  readonly ignoreRoot: string
  /** Levels of folders to list, default 2. */
  readonly depth?: number
  readonly showIgnored?: boolean
  /** Limit for the whole tree, default 300. */
  readonly maxEntries?: number
}

export type ListOutcome =
  | {
      readonly kind: 'listed'
      readonly text: string
      readonly shown: number
      /** Number of entries found but not shown; folders that were not opened may contain more. */
      readonly leftOut: number
    }
  | { readonly kind: 'failed'; readonly message: string }

/** Folder shown with its entries, unless there was a problem. */
interface Branch {
  readonly path: string
  readonly level: number
  readonly children: { readonly entry: FolderEntry; readonly branch: Branch | null }[]
  /** Paths that are listed although a rule names them. */
  readonly kept: ReadonlySet<string>
  /** Ignore rules; null lists ignored entries too. */
  rules: IgnoreRules | null
  problem: string | null
  more: string | null
}

/** Limit per folder below the first level, so that one large folder does not displace its siblings. */
const maxEntriesBelowTop = 60

/** Lists a folder as a tree, breadth first, so that the limit cuts off the deepest entries. */
export async function listDirectory(request: ListRequest): Promise<ListOutcome> {
  const problem = await folderProblem(request)
  if (problem !== null) return failed(problem)
  const rules = request.showIgnored ? null : await ignoreRulesFor(request.path, request.ignoreRoot, request.files)
  const kept = request.showIgnored ? new Set<string>() : await keptPaths(request.path, request.files)
  const top: Branch = { path: request.path, level: 1, children: [], rules, kept, problem: null, more: null }
  const tally = { shown: 0, leftOut: 0, ignored: 0 }
  const waiting = [top]
  for (let branch = waiting.shift(); branch !== undefined; branch = waiting.shift()) {
    await fill(branch, request, tally)
    for (const { branch: next } of branch.children) if (next !== null) waiting.push(next)
  }
  if (top.problem !== null) return failed(`${request.shownPath} cannot be listed: ${top.problem}.`)
  const lines = [`${visiblePath(request.shownPath)}${request.shownPath.endsWith('/') ? '' : '/'}`, ...render(top)]
  if (tally.ignored > 0) lines.push(`[${tally.ignored} ignored entries not shown]`)
  return { kind: 'listed', text: lines.join('\n'), shown: tally.shown, leftOut: tally.leftOut }
}

async function folderProblem({ path, shownPath, files }: ListRequest): Promise<string | null> {
  try {
    return (await files.look(path)).kind === 'folder' ? null : `${shownPath} is a file, not a folder; read it instead.`
  } catch (error) {
    if (isMissing(error)) return `${shownPath} does not exist.${await suggestForMissing(path, files)}`
    return `${shownPath} cannot be listed: ${systemErrorReason(error)}.`
  }
}

async function fill(
  branch: Branch,
  request: ListRequest,
  tally: { shown: number; leftOut: number; ignored: number },
): Promise<void> {
  const room = (request.maxEntries ?? limitDefaults.listEntries) - tally.shown
  if (room <= 0) {
    branch.problem = 'not opened: the list is full'
    return
  }
  if (branch.rules !== null && branch.level > 1)
    branch.rules = await withRulesOf(branch.path, branch.rules, request.files)
  const folder = await readFolder({ ...branch, files: request.files })
  branch.problem = folder.error
  const taken = folder.entries.slice(0, branch.level === 1 ? room : Math.min(room, maxEntriesBelowTop))
  const maxLevel = request.depth ?? limitDefaults.listLevels
  for (const entry of taken) {
    const opens = entry.kind === 'folder' && branch.level < maxLevel
    branch.children.push({ entry, branch: opens ? branchBelow(branch, entry.name) : null })
  }
  const leftOut = folder.entries.length - taken.length
  if (folder.truncated) branch.more = `… at least ${leftOut} more`
  else if (leftOut > 0) branch.more = `… ${leftOut} more`
  tally.shown += taken.length
  tally.leftOut += leftOut
  tally.ignored += folder.ignored
}

function branchBelow({ path, level, rules, kept }: Branch, name: string): Branch {
  return { path: join(path, name), level: level + 1, children: [], rules, kept, problem: null, more: null }
}

function render(branch: Branch): string[] {
  const indent = '  '.repeat(branch.level)
  const lines = branch.children.flatMap(({ entry, branch: below }) => {
    if (below === null) return [`${indent}${shownEntry(entry)}`]
    const problem = below.problem === null ? '' : ` (${below.problem})`
    return [`${indent}${shownEntry(entry)}${problem}`, ...render(below)]
  })
  return branch.more === null ? lines : [...lines, `${indent}${branch.more}`]
}

function shownEntry(entry: FolderEntry): string {
  const name = visiblePath(entry.name)
  if (entry.kind === 'folder') return `${name}/`
  if (entry.kind === 'link') return `${name} -> ${visiblePath(entry.target)}`
  return entry.kind === 'other' ? `${name} (not a regular file)` : name
}

function failed(message: string): ListOutcome {
  return { kind: 'failed', message }
}
