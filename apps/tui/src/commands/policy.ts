import type { Parley } from '@parley/client'
import { showEffects, showHidden } from '@parley/presentation/text/control-characters'
import { type ResultOf, shortIdOf } from '@parley/protocol'
import { RpcError } from '@parley/rpc'
import { greatest } from '@parley/text'
import { connect } from '../cli/connect.ts'
import { type ExitCode, exitCodes, misused } from '../cli/exit-codes.ts'
import { type CommonFlags, overridesOf } from '../cli/flags.ts'
import { fromWorkingFolder, workingFolder } from '../cli/folders.ts'
import type { Launch } from '../cli/launch-server.ts'
import { replayedLines, testedLines } from './verdict-lines.ts'

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
  launch.streams.stdout.write(
    flags.json === true ? `${JSON.stringify(value)}\n` : lines.map((line) => `${showEffects(line)}\n`).join(''),
  )
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
  return {
    cwd: cwd ?? workingFolder(),
    ...(profile === undefined ? {} : { profile }),
    ...(config === undefined ? {} : { config }),
    ...(addDirs === undefined ? {} : { addDirs }),
  }
}

function rulesOf(flags: PolicyFlags) {
  const { approvalPolicy, sandbox, policyFile } = overridesOf(flags)
  return {
    ...(approvalPolicy === undefined ? {} : { approvalPolicy }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(policyFile === undefined ? {} : { policyFile }),
    ...(flags.rules === undefined ? {} : { rules: fromWorkingFolder(flags.rules) }),
  }
}

type CallWords = readonly [first: string | undefined, second: string | undefined]
type Explained = ResultOf<'policy/why'>

/** Runs `parley why`: the stored decision about a call, as labelled lines. */
export async function showWhy(launch: Launch, words: CallWords, { json }: { json?: boolean }): Promise<number> {
  await using parley = await connect(launch, { clientName: 'parley-why' })
  const explained = await explainCall(parley, words)
  launch.streams.stdout.write(
    json === true
      ? `${JSON.stringify(explained)}\n`
      : explainedLines(explained)
          .map((line) => `${showEffects(line)}\n`)
          .join(''),
  )
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
