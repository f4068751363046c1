const writing = new Set(
  (
    'add am bisect checkout cherry-pick commit fetch gc init merge mv notes pull rebase reset restore revert rm stash ' +
    'switch tag update-index update-ref worktree'
  ).split(' '),
)
/** Of git itself, before what is to be done; each takes the word behind it. */
const withValue = new Set(['-C', '-c', '--git-dir', '--work-tree', '--namespace'])
const listing = /^(?:list|show|-l|--list|-n\d*|--help|-h|--dry-run)$/

/** What of git, such as `git commit`, would write to `.git`; null for any other command. */
export function writesRepository(argv: readonly string[]): string | null {
  const [program = '', ...words] = argv
  if (program !== 'git' && !program.endsWith('/git')) return null
  let at = 0
  while (words[at]?.startsWith('-') === true) at += withValue.has(words[at] ?? '') ? 2 : 1
  const [what = '', first] = words.slice(at)
  const onlyLooks = (what === 'tag' && first === undefined) || (first !== undefined && listing.test(first))
  return writing.has(what) && !onlyLooks ? `git ${what}` : null
}
