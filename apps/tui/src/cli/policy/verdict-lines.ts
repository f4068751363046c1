import type { Judgement, ResultOf } from '@parley/protocol'
import { joinShellWords } from '../../scripted/codex/join-shell-words.ts'
import { showHidden } from '../../view/text/control-characters.ts'
import { writesRepository } from './writes-repository.ts'

const verdicts = { allow: 'allowed', ask: 'asks', deny: 'denied' } as const

/** What the policy says of a command, for people. */
export function testedLines(tested: ResultOf<'policy/test'>, command: readonly string[]): readonly string[] {
  const { verdict, parts, because, always, approvalPolicy, sandbox, enforcement, run } = tested
  const shown = command.length === 1 ? (command[0] ?? '') : joinShellWords(command)
  return [
    `${verdicts[verdict]}: ${oneLine(shown)}`,
    `  why     ${oneLine(tested.reason)}`,
    `  rule    ${ruleText(tested.rule)}`,
    `  limits  ${run === 'sandboxed' ? `sandbox ${sandbox}` : 'no sandbox'} (approvals ${approvalPolicy}, sandbox ${sandbox}, enforcement ${enforcement})`,
    ...repositoryLines(tested),
    ...(because === undefined ? [] : [`  not understood: ${oneLine(because)}`]),
    ...(parts.length < 2 ? [] : partLines(parts)),
    ...(always === undefined
      ? []
      : [`  a yes for always would allow, in every folder, with or without a sandbox: ${oneLine(always)}`]),
  ]
}

/** Allowed, it runs, and fails: the policy has no say in that. */
function repositoryLines({ run, verdict, parts }: ResultOf<'policy/test'>): readonly string[] {
  if (run !== 'sandboxed' || verdict === 'deny') return []
  const writing = parts.map(({ argv }) => writesRepository(argv)).find((name) => name !== null)
  if (writing === undefined) return []
  return [`  but     .git is read-only in the sandbox: ${writing} fails there, and would have to run outside it`]
}

function partLines(parts: ResultOf<'policy/test'>['parts']): readonly string[] {
  const width = Math.max(...parts.map(({ verdict }) => verdicts[verdict].length))
  const lines = parts.map(
    ({ verdict, argv, rule }) =>
      `    ${verdicts[verdict].padEnd(width)}  ${oneLine(joinShellWords(argv))}  [${ruleText(rule)}]`,
  )
  return ['  each by itself:', ...lines]
}

/** The calls that would be decided otherwise, and how many there are. */
export function replayedLines({ calls, skipped, conversationId }: ResultOf<'policy/replay'>): readonly string[] {
  const changed = calls.filter(({ before, after }) => before.verdict !== after.verdict)
  const of = `${calls.length} ${calls.length === 1 ? 'call' : 'calls'} of ${conversationId.slice(-8)}`
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

function ruleText({ name, file, line }: Judgement['rule']): string {
  if (file === undefined) return oneLine(name)
  return oneLine(`${name}, ${file}${line === undefined ? '' : `:${line}`}`)
}

function oneLine(text: string): string {
  return showHidden(text.replaceAll('\n', '⏎'))
}
