import { ClientError } from '@parley/client'
import { RpcError } from '@parley/rpc'
import { CommanderError } from 'commander'
import { failedLines, wantsCodexLines } from '../cli/early-arguments.ts'
import { exitCodeOf, exitCodes, ParleyError } from '../cli/exit-codes.ts'
import type { Launch } from '../cli/launch-server.ts'
import { explainRejection, usageSentence } from '../cli/messages.ts'
import { stripEffects } from '../view/text/control-characters.ts'
import { defineProgram } from './define-program.ts'

/** Parses the command line, runs the command and resolves to the exit code. Each command loads only its own modules. */
export async function runCommandLine(argv: readonly string[], launch: Launch): Promise<number> {
  let outcome: number = exitCodes.ok
  const program = defineProgram(launch, async (run) => {
    outcome = await run
  })
  try {
    await program.parseAsync([...argv], { from: 'user' })
    return outcome
  } catch (error) {
    const ending = endingOf(error)
    if (ending === null) throw error
    // Commander has printed its own message.
    if (!(error instanceof CommanderError)) process.stderr.write(`parley: ${stripEffects(ending.message)}\n`)
    if (ending.exitCode !== exitCodes.ok && wantsCodexLines(argv)) process.stdout.write(failedLines(ending.message))
    return ending.exitCode
  }
}

/** Returns message and exit code of an expected error; null for a bug. */
function endingOf(error: unknown): { message: string; exitCode: number } | null {
  if (error instanceof ParleyError) return error
  if (error instanceof CommanderError) {
    const exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
    return { message: usageSentence(error.message), exitCode }
  }
  if (error instanceof ClientError) return { message: error.message, exitCode: exitCodeOf(error.data.code) }
  if (!(error instanceof RpcError)) return null
  return { message: explainRejection(error), exitCode: exitCodeOf(error.data?.code ?? 'internal') }
}
