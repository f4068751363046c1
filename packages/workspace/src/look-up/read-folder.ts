import { join, relative, sep } from 'node:path'
import ignore, { type Ignore } from 'ignore'
import type { EnvironmentFiles, NamedEntry } from '../files/environment-files.ts'
import { systemErrorReason, whenUnknown } from '../files/errors.ts'
import { liesWithin } from '../files/real-path.ts'

export type FolderEntry =
  | { readonly name: string; readonly kind: 'folder' | 'file' | 'other' }
  | { readonly name: string; readonly kind: 'link'; readonly target: string }

interface FolderContent {
  /** Sorted: folders first, then by name. */
  readonly entries: readonly FolderEntry[]
  /** Number of entries left out because of ignore rules. */
  readonly ignored: number
  /** True when the folder has more than `maxNamesLookedAt` entries. */
  readonly truncated: boolean
  /** Reason for a failure in the system's wording. */
  readonly error: string | null
}

const maxNamesLookedAt = 20_000

interface FolderRequest {
  readonly path: string
  /** Ignore rules of the folder; null ignores nothing. */
  readonly rules: IgnoreRules | null
  /** Paths that are listed although a rule names them. */
  readonly kept: ReadonlySet<string>
  readonly files: EnvironmentFiles
}

/** Reads the entries of one folder that are not ignored. Returns failures in `error`. */
export async function readFolder({ path, rules, kept, files }: FolderRequest): Promise<FolderContent> {
  try {
    const { entries: all, truncated } = await files.list(path, maxNamesLookedAt)
    const found = all.filter(({ name, kind }) => {
      const entry = join(path, name)
      return rules === null || kept.has(entry) || !isIgnored(rules, entry, kind === 'folder')
    })
    const entries = await Promise.all(found.sort(foldersFirst).map((entry) => describeEntry(path, entry, files)))
    return { entries, ignored: all.length - found.length, truncated, error: null }
  } catch (error) {
    return { entries: [], ignored: 0, truncated: false, error: systemErrorReason(error) }
  }
}

function foldersFirst(a: NamedEntry, b: NamedEntry): number {
  if ((a.kind === 'folder') !== (b.kind === 'folder')) return a.kind === 'folder' ? -1 : 1
  return a.name < b.name ? -1 : 1
}

async function describeEntry(
  folder: string,
  { name, kind }: NamedEntry,
  files: EnvironmentFiles,
): Promise<FolderEntry> {
  if (kind !== 'link') return { name, kind }
  return { name, kind, target: await files.readLink(join(folder, name)).catch(() => '?') }
}

/** Patterns of the `.gitignore` files that apply in one folder, outermost first. */
export type IgnoreRules = readonly { readonly folder: string; readonly patterns: Ignore }[]

const maxRuleFileBytes = 1024 * 1024

/** Reads the rules from `root` down to `folder`; for a folder outside the root only its own. */
export async function ignoreRulesFor(folder: string, root: string, files: EnvironmentFiles): Promise<IgnoreRules> {
  let rules = await withRulesOf(liesWithin(folder, root) ? root : folder, [], files)
  let reached = root
  for (const name of liesWithin(folder, root) ? relative(root, folder).split(sep) : []) {
    if (name === '') continue
    reached = join(reached, name)
    rules = await withRulesOf(reached, rules, files)
  }
  return rules
}

/** Adds the rules of the `.gitignore` in `folder`, if there is one. */
export async function withRulesOf(folder: string, rules: IgnoreRules, files: EnvironmentFiles): Promise<IgnoreRules> {
  const text = await readRuleFile(join(folder, '.gitignore'), files)
  return text === null ? rules : [...rules, ...rulesIn(folder, text)]
}

/** Reads the text of a file of rules for a folder. Case counts, as it does for git where file systems tell it. */
export function rulesIn(folder: string, text: string): IgnoreRules {
  return [{ folder, patterns: ignore({ ignorecase: process.platform === 'darwin' }).add(text) }]
}

/** Applies the innermost rule that matches a path below the folders of the rules. `.git` is always ignored. */
export function isIgnored(rules: IgnoreRules, path: string, isFolder: boolean): boolean {
  if (path.endsWith(`${sep}.git`)) return true
  for (const { folder, patterns } of rules.toReversed()) {
    const verdict = patterns.test(`${path.slice(folder.length + (folder === sep ? 0 : 1))}${isFolder ? '/' : ''}`)
    if (verdict.ignored || verdict.unignored) return verdict.ignored
  }
  return false
}

/** Reads a `.gitignore`; null when it is missing, unreadable or larger than `maxRuleFileBytes`. */
async function readRuleFile(path: string, files: EnvironmentFiles): Promise<string | null> {
  try {
    await using file = await files.open(path)
    if (file.kind !== 'file' || file.sizeBytes > maxRuleFileBytes) return null
    return Buffer.from(await file.read(0, maxRuleFileBytes)).toString('utf8')
  } catch (error) {
    return whenUnknown(null)(error)
  }
}
