import type { Client } from '@parley/client'
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
  readonly json?: boolean
}

const byVerdict = { allow: exitCodes.ok, ask: exitCodes.asks, deny: exitCodes.denied } as const

/** `parley policy test`: the verdict as lines and as exit code. One evaluator says it: the server's. */
export async function testPolicy(launch: Launch, command: readonly string[], flags: PolicyFlags): Promise<number> {
  refuseWithoutEffect(command, flags)
  await using connection = await connect(launch, { canApprove: false, clientName: 'parley-policy' })
  const ask = flags.conversation === undefined ? testCommand : replay
  const { lines, value, exitCode } = await ask(connection.client, command, flags)
  process.stdout.write(flags.json === true ? `${JSON.stringify(value)}\n` : lines.map((line) => `${line}\n`).join(''))
  return exitCode
}

/** The facts of a past call are stored: nothing that they were gathered from can be changed. */
function refuseWithoutEffect(command: readonly string[], flags: PolicyFlags): void {
  const { conversation, model, effort, environment, ephemeral, cd, addDir, profile, config } = flags
  const isGiven = command.join('').trim() !== ''
  if (isGiven === (conversation !== undefined))
    throw misused('Give a command (parley policy test "npm test"), or --conversation ID.')
  if ([model, effort, environment, ephemeral].some((flag) => flag !== undefined))
    throw misused(
      'parley policy test asks no model and runs nothing: -m, -e, --environment and --ephemeral mean nothing.',
    )
  if (conversation !== undefined && [cd, addDir, profile, config].some((flag) => flag !== undefined))
    throw misused('With --conversation only -s, -a, --rules and --policy change what is said.')
}

interface Said {
  readonly lines: readonly string[]
  readonly value: unknown
  readonly exitCode: ExitCode
}

/** One word is a line for the shell, several are an argv. */
async function testCommand(client: Client, command: readonly string[], flags: PolicyFlags): Promise<Said> {
  const [line = ''] = command
  const value = await client.request('policy/test', {
    ...judging(flags),
    ...surroundings(flags),
    command: command.length === 1 ? line : [...command],
  })
  return { value, lines: testedLines(value, command), exitCode: byVerdict[value.verdict] }
}

async function replay(client: Client, _command: readonly string[], flags: PolicyFlags): Promise<Said> {
  const { conversation = '' } = flags
  const value = await client.request('policy/replay', { ...judging(flags), conversation })
  const changes = value.calls.some(({ before, after }) => before.verdict !== after.verdict)
  return { value, lines: replayedLines(value), exitCode: changes ? exitCodes.wouldChange : exitCodes.ok }
}

function surroundings(flags: PolicyFlags) {
  const { profile, config, addDirs, cwd } = overridesOf(flags)
  return {
    cwd: cwd ?? workingFolder(),
    ...(profile === undefined ? {} : { profile }),
    ...(config === undefined ? {} : { config }),
    ...(addDirs === undefined ? {} : { addDirs }),
  }
}

function judging(flags: PolicyFlags) {
  const { approvalPolicy, sandbox, policyFile } = overridesOf(flags)
  return {
    ...(approvalPolicy === undefined ? {} : { approvalPolicy }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(policyFile === undefined ? {} : { policyFile }),
    ...(flags.rules === undefined ? {} : { rules: fromWorkingFolder(flags.rules) }),
  }
}
