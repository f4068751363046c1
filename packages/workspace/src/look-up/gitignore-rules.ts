import { join, relative, sep } from 'node:path'
import ignore, { type Ignore } from 'ignore'
import type { PlaceFiles } from '../environment/place-files.ts'
import { whenUnknown } from '../environment/place-unreachable.ts'
import { liesWithin } from '../paths/workspace-path.ts'

interface Level {
  readonly folder: string
  readonly patterns: Ignore
}

/** The `.gitignore` files that hold in one folder, outermost first. */
export type IgnoreRules = readonly Level[]

const maxRuleFileBytes = 1024 * 1024

/** Collects the rules from `root` down to `folder`; of a folder outside the root only its own. */
export async function ignoreRulesFor(folder: string, root: string, files: PlaceFiles): Promise<IgnoreRules> {
  let rules = await withRulesOf(liesWithin(folder, root) ? root : folder, [], files)
  let reached = root
  for (const name of liesWithin(folder, root) ? relative(root, folder).split(sep) : []) {
    if (name === '') continue
    reached = join(reached, name)
    rules = await withRulesOf(reached, rules, files)
  }
  return rules
}

/** Adds the rules that `folder` itself brings. */
export async function withRulesOf(folder: string, rules: IgnoreRules, files: PlaceFiles): Promise<IgnoreRules> {
  const text = await readRuleFile(join(folder, '.gitignore'), files)
  return text === null ? rules : [...rules, { folder, patterns: ignore().add(text) }]
}

/** The innermost rule that speaks of the path decides. Git's own folder is always ignored. */
export function isIgnored(rules: IgnoreRules, path: string, isFolder: boolean): boolean {
  if (path.endsWith(`${sep}.git`)) return true
  for (const { folder, patterns } of rules.toReversed()) {
    const verdict = patterns.test(`${relative(folder, path).split(sep).join('/')}${isFolder ? '/' : ''}`)
    if (verdict.ignored || verdict.unignored) return verdict.ignored
  }
  return false
}

/** Unreadable, missing or absurdly large rules are no rules. */
async function readRuleFile(path: string, files: PlaceFiles): Promise<string | null> {
  try {
    await using file = await files.open(path)
    if (file.kind !== 'file' || file.sizeBytes > maxRuleFileBytes) return null
    return Buffer.from(await file.read(0, maxRuleFileBytes)).toString('utf8')
  } catch (error) {
    return whenUnknown(null)(error)
  }
}
