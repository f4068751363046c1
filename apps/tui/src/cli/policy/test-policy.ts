import { resolve } from 'node:path'
import type { Client } from '@parley/client'
import type { Launch } from '../../main.ts'
import { connect } from '../connect.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { type CommonFlags, overridesOf } from '../flags.ts'
import { misused } from '../parley-error.ts'
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
  if (command.length > 0 === (flags.conversation !== undefined))
    throw misused('Give a command (parley policy test "npm test"), or --conversation ID.')
  await using connection = await connect(launch, { canApprove: false, clientName: 'parley-policy' })
  const ask = flags.conversation === undefined ? testCommand : replay
  const { lines, value, exitCode } = await ask(connection.client, command, flags)
  process.stdout.write(flags.json === true ? `${JSON.stringify(value)}\n` : lines.map((line) => `${line}\n`).join(''))
  return exitCode
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
    cwd: process.cwd(),
    ...judging(flags),
    command: command.length === 1 ? line : [...command],
  })
  return { value, lines: testedLines(value, command), exitCode: byVerdict[value.verdict] }
}

async function replay(client: Client, _command: readonly string[], flags: PolicyFlags): Promise<Said> {
  const { conversation = '' } = flags
  const value = await client.request('policy/replay', { cwd: process.cwd(), ...judging(flags), conversation })
  const changes = value.calls.some(({ before, after }) => before.verdict !== after.verdict)
  return { value, lines: replayedLines(value), exitCode: changes ? exitCodes.wouldChange : exitCodes.ok }
}

function judging(flags: PolicyFlags) {
  const { approvalPolicy, sandbox, profile, config, policyFile, addDirs, cwd } = overridesOf(flags)
  return {
    ...(cwd === undefined ? {} : { cwd }),
    ...(approvalPolicy === undefined ? {} : { approvalPolicy }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(profile === undefined ? {} : { profile }),
    ...(config === undefined ? {} : { config }),
    ...(policyFile === undefined ? {} : { policyFile }),
    ...(addDirs === undefined ? {} : { addDirs }),
    ...(flags.rules === undefined ? {} : { rules: resolve(flags.rules) }),
  }
}
