import { join, relative, sep } from 'node:path'
import ignore, { type Ignore } from 'ignore'
import { openRealFile } from './open-real-file.ts'
import { liesWithin } from './workspace-path.ts'

interface Level {
  readonly folder: string
  readonly patterns: Ignore
}

/** The `.gitignore` files that hold in one folder, outermost first. */
export type IgnoreRules = readonly Level[]

const maxRuleFileBytes = 1024 * 1024

/** Collects the rules from `root` down to `folder`; of a folder outside the root only its own. */
export async function ignoreRulesFor(folder: string, root: string): Promise<IgnoreRules> {
  let rules = await withRulesOf(liesWithin(folder, root) ? root : folder, [])
  let reached = root
  for (const name of liesWithin(folder, root) ? relative(root, folder).split(sep) : []) {
    if (name === '') continue
    reached = join(reached, name)
    rules = await withRulesOf(reached, rules)
  }
  return rules
}

/** Adds the rules that `folder` itself brings. */
export async function withRulesOf(folder: string, rules: IgnoreRules): Promise<IgnoreRules> {
  const text = await readRuleFile(join(folder, '.gitignore'))
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
async function readRuleFile(path: string): Promise<string | null> {
  try {
    await using handle = await openRealFile(path)
    const stat = await handle.stat()
    return stat.isFile() && stat.size <= maxRuleFileBytes ? await handle.readFile('utf8') : null
  } catch {
    return null
  }
}
