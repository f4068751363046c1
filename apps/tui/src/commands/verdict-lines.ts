import { showHidden } from '@parley/presentation/text/control-characters'
import { type Judgement, type ResultOf, shortIdOf } from '@parley/protocol'
import { ruleSource } from '@parley/protocol/question'
import { columnLines, countedNoun, joinShellWords } from '@parley/text'

const reachTexts = {
  nothing: 'with or without a sandbox',
  network: 'with the network',
  outsideSandbox: 'outside the sandbox',
} as const

const verdicts = { allow: 'allowed', ask: 'asks', deny: 'denied' } as const

/** Returns the verdict on a command as lines for people. */
export function testedLines(
  tested: ResultOf<'policy/test'>,
  command: readonly string[],
  asks: keyof typeof reachTexts = 'nothing',
): readonly string[] {
  const { verdict, parts, because, always } = tested
  const shown = command.length === 1 ? (command[0] ?? '') : joinShellWords(command)
  return [
    `${verdicts[verdict]}: ${oneLine(shown)}`,
    `  why     ${oneLine(tested.reason)}`,
    `  rule    ${ruleText(tested.rule)}`,
    `  limits  ${limitsText(tested)}`,
    ...repositoryLines(tested),
    ...(because === undefined ? [] : [`  not understood: ${oneLine(because)}`]),
    ...(parts.length < 2 ? [] : partLines(parts)),
    ...(always === undefined
      ? []
      : [`  a yes for always would allow, in every folder, ${reachTexts[asks]}: ${oneLine(always)}`]),
  ]
}

function limitsText({ run, sandbox, approvalPolicy, enforcement }: ResultOf<'policy/test'>): string {
  const rest = `approvals ${approvalPolicy}, enforcement ${enforcement}`
  return run === 'sandboxed' ? `sandbox ${sandbox} (${rest})` : `no sandbox (mode ${sandbox}, ${rest})`
}

/** Returns a line if the sandbox would make an allowed git command fail. */
function repositoryLines({ run, verdict, parts }: ResultOf<'policy/test'>): readonly string[] {
  if (run !== 'sandboxed' || verdict === 'deny') return []
  const writing = parts.map(({ argv }) => writesRepository(argv)).find((name) => name !== null)
  if (writing === undefined) return []
  return [`  but     .git is read-only in the sandbox: ${writing} fails there, and would have to run outside it`]
}

function partLines(parts: ResultOf<'policy/test'>['parts']): readonly string[] {
  const rows = parts.map(({ verdict, argv, rule }) => [
    verdicts[verdict],
    `${oneLine(joinShellWords(argv))}  [${ruleText(rule)}]`,
  ])
  return ['  each by itself:', ...columnLines(rows).map((line) => `    ${line}`)]
}

/** Returns the calls with a changed verdict, and their count. */
export function replayedLines({ calls, skipped, conversationId }: ResultOf<'policy/replay'>): readonly string[] {
  const changed = calls.filter(({ before, after }) => before.verdict !== after.verdict)
  const of = `${countedNoun(calls.length, 'call')} of ${shortIdOf(conversationId)}`
  const left = skipped === 0 ? '' : ` (${skipped} never came to a decision)`
  return [
    ...changed.flatMap(({ title, before, after }) => [
      `${verdicts[before.verdict]} → ${verdicts[after.verdict]}: ${oneLine(title)}`,
      `  then  ${ruleText(before.rule)}${before.answer === undefined ? '' : `, answered ${before.answer}`}`,
      `  now   ${ruleText(after.rule)}: ${oneLine(after.reason)}`,
    ]),
    changed.length === 0 ? `Nothing would change for ${of}${left}.` : `${changed.length} of ${of} would change${left}.`,
  ]
}

function ruleText(rule: Judgement['rule']): string {
  return oneLine(ruleSource(rule))
}

function oneLine(text: string): string {
  return showHidden(text.replaceAll('\n', '⏎'))
}

const writing = new Set(
  (
    'add am bisect checkout cherry-pick commit fetch gc init merge mv notes pull rebase reset restore revert rm stash ' +
    'switch tag update-index update-ref worktree'
  ).split(' '),
)
/** Global options of git that take the next word as value. */
const withValue = new Set(['-C', '-c', '--git-dir', '--work-tree', '--namespace'])
const listing = /^(?:list|show|-l|--list|-n\d*|--help|-h|--dry-run)$/

/** Returns the git command that would write to `.git`, such as `git commit`; null for any other command. */
function writesRepository(argv: readonly string[]): string | null {
  const [program = '', ...words] = argv
  if (program !== 'git' && !program.endsWith('/git')) return null
  let at = 0
  while (words[at]?.startsWith('-') === true) at += withValue.has(words[at] ?? '') ? 2 : 1
  const [what = '', first] = words.slice(at)
  const onlyLooks = (what === 'tag' && first === undefined) || (first !== undefined && listing.test(first))
  return writing.has(what) && !onlyLooks ? `git ${what}` : null
}
