import { RpcError } from '@parley/rpc'
import { CommanderError } from 'commander'
import type { Launch } from '../main.ts'
import { stripEffects } from '../view/text/control-characters.ts'
import { failedLines, wantsCodexLines } from './codex-callers.ts'
import { defineProgram } from './define-program.ts'
import { exitCodeOf, exitCodes } from './exit-codes.ts'
import { explainRejection, usageSentence } from './messages.ts'
import { ParleyError } from './parley-error.ts'

/** Parses the command line, runs the command and resolves to the exit code. Each command loads only what it needs. */
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
    // Commander has printed its own.
    if (!(error instanceof CommanderError)) process.stderr.write(`parley: ${stripEffects(ending.message)}\n`)
    if (ending.exitCode !== exitCodes.ok && wantsCodexLines(argv)) process.stdout.write(failedLines(ending.message))
    return ending.exitCode
  }
}

/** Null for what is a bug. */
function endingOf(error: unknown): { message: string; exitCode: number } | null {
  if (error instanceof ParleyError) return error
  if (error instanceof CommanderError) {
    const exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
    return { message: usageSentence(error.message), exitCode }
  }
  if (!(error instanceof RpcError)) return null
  return { message: explainRejection(error), exitCode: exitCodeOf(error.data?.code ?? 'internal') }
}
