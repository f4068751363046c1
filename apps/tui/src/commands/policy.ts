import type { Parley } from '@parley/client'
import { showHidden } from '@parley/presentation/text/control-characters'
import { type Judgement, type ResultOf, shortIdOf } from '@parley/protocol'
import { ruleSource } from '@parley/protocol/question'
import { RpcError } from '@parley/rpc'
import { columnLines, countedNoun, greatest, joinShellWords, withoutUndefined } from '@parley/text'
import { connect } from '../cli/connect.ts'
import { type ExitCode, exitCodes, misused } from '../cli/exit-codes.ts'
import { type CommonFlags, overridesOf } from '../cli/flags.ts'
import { fromWorkingFolder, workingFolder } from '../cli/folders.ts'
import type { Launch } from '../cli/launch-server.ts'
import { jsonLines, shownLines } from '../cli/output-lines.ts'

export interface PolicyFlags extends CommonFlags {
  readonly conversation?: string
  readonly rules?: string
  readonly policy?: string
  readonly outside?: boolean
  readonly network?: boolean
  readonly json?: boolean
}

const byVerdict = { allow: exitCodes.ok, ask: exitCodes.asks, deny: exitCodes.denied } as const

/** Runs `parley policy test`: prints the server's verdict and returns it as exit code. */
export async function testPolicy(launch: Launch, command: readonly string[], flags: PolicyFlags): Promise<number> {
  refuseWithoutEffect(command, flags)
  await using parley = await connect(launch, { clientName: 'parley-policy' })
  const judge = flags.conversation === undefined ? testCommand : replay
  const { lines, value, exitCode } = await judge(parley, command, flags)
  launch.streams.stdout.write(flags.json === true ? jsonLines([value]) : shownLines(lines))
  return exitCode
}

/** Throws a usage error for flags without effect: a replay uses stored facts, which no flag changes. */
function refuseWithoutEffect(command: readonly string[], flags: PolicyFlags): void {
  const { conversation, model, effort, environment, ephemeral, cd, addDir, profile, config } = flags
  const isGiven = command.join('').trim() !== ''
  if (isGiven === (conversation !== undefined))
    throw misused('Give a command (parley policy test "npm test"), or --conversation ID.')
  if ([model, effort, environment, ephemeral].some((flag) => flag !== undefined))
    throw misused(
      'parley policy test asks no model and runs nothing: -m, -e, --environment and --ephemeral mean nothing.',
    )
  if (flags.outside === true && flags.network === true)
    throw misused('Give --outside or --network: what runs outside the sandbox has the network, too.')
  const ofCommands = [cd, addDir, profile, config, flags.outside, flags.network]
  if (conversation !== undefined && ofCommands.some((flag) => flag !== undefined))
    throw misused(
      'With --conversation only -s, -a, --rules and --policy have an effect: the facts of its calls are stored.',
    )
}

interface PolicyVerdict {
  readonly lines: readonly string[]
  readonly value: unknown
  readonly exitCode: ExitCode
}

/** Tests a command: a single word is a shell line, several are an argv. */
async function testCommand(parley: Parley, command: readonly string[], flags: PolicyFlags): Promise<PolicyVerdict> {
  const [line = ''] = command
  const asks = flags.outside === true ? 'outsideSandbox' : flags.network === true ? 'network' : undefined
  const value = await parley.request('policy/test', {
    ...rulesOf(flags),
    ...settingsOf(flags),
    command: command.length === 1 ? line : [...command],
    ...(asks === undefined ? {} : { asks }),
  })
  return { value, lines: testedLines(value, command, asks), exitCode: byVerdict[value.verdict] }
}

async function replay(parley: Parley, _command: readonly string[], flags: PolicyFlags): Promise<PolicyVerdict> {
  const { conversation = '' } = flags
  const value = await parley.request('policy/replay', { ...rulesOf(flags), conversation })
  const changes = value.calls.some(({ before, after }) => before.verdict !== after.verdict)
  return { value, lines: replayedLines(value), exitCode: changes ? exitCodes.wouldChange : exitCodes.ok }
}

function settingsOf(flags: PolicyFlags) {
  const { profile, config, addDirs, cwd } = overridesOf(flags)
  return { cwd: cwd ?? workingFolder(), ...withoutUndefined({ profile, config, addDirs }) }
}

function rulesOf(flags: PolicyFlags) {
  const { approvalPolicy, sandbox, policyFile } = overridesOf(flags)
  const rules = flags.rules === undefined ? undefined : fromWorkingFolder(flags.rules)
  return withoutUndefined({ approvalPolicy, sandbox, policyFile, rules })
}

type CallWords = readonly [first: string | undefined, second: string | undefined]
type Explained = ResultOf<'policy/why'>

/** Runs `parley why`: the stored decision about a call, as labelled lines. */
export async function showWhy(launch: Launch, words: CallWords, { json }: { json?: boolean }): Promise<number> {
  await using parley = await connect(launch, { clientName: 'parley-why' })
  const explained = await explainCall(parley, words)
  launch.streams.stdout.write(json === true ? jsonLines([explained]) : shownLines(explainedLines(explained)))
  return exitCodes.ok
}

/** Requests the call. A single word names a call of this folder's newest conversation, else a conversation. */
async function explainCall(parley: Parley, [first, second]: CallWords): Promise<Explained> {
  const here = { cwd: workingFolder() }
  if (first === undefined) return parley.request('policy/why', here)
  if (second !== undefined) return parley.request('policy/why', { conversation: first, item: second })
  try {
    return await parley.request('policy/why', { ...here, item: first })
  } catch (error) {
    if (!isNotFound(error)) throw error
    return parley.request('policy/why', { conversation: first }).catch((other: unknown) => {
      throw isNotFound(other) ? error : other
    })
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof RpcError && ['itemNotFound', 'conversationNotFound'].includes(error.data?.code ?? '')
}

function explainedLines({ item, rows, conversationId }: Explained): readonly string[] {
  const width = greatest(rows.map(({ about }) => about.length))
  return [
    `${item.id} of ${shortIdOf(conversationId)}`,
    ...rows.map(({ about, text }) => {
      const [head = '', ...more] = showHidden(text).split('\n')
      return [`  ${about.padEnd(width)}  ${head}`, ...more.map((line) => `  ${''.padEnd(width)}  ${line}`)].join('\n')
    }),
  ]
}

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
function replayedLines({ calls, skipped, conversationId }: ResultOf<'policy/replay'>): readonly string[] {
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
