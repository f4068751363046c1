import { runProgram } from '../processes/run-program.ts'
import type { Telling } from '../view/title-and-bell.ts'

const timeLimitMs = 10_000
const maxBytes = 64 * 1024

/**
 * Runs the user's program with the notification as JSON on its standard input: other users can list its words, but not
 * its input. Resolves to the reason of a failure, else to null.
 */
export async function notifyUser(
  argv: readonly string[],
  telling: Telling,
  env: NodeJS.ProcessEnv,
): Promise<string | null> {
  const input = `${JSON.stringify(telling)}\n`
  const end = await runProgram({ argv: withHome(argv, env), cwd: '/', env, input, timeLimitMs, maxBytes })
  return end.kind === 'failed' ? end.reason : null
}

/** Returns the words with `~/` of the program replaced, as a shell does. */
export function withHome([program = '', ...words]: readonly string[], env: NodeJS.ProcessEnv): readonly string[] {
  return [program.replace(/^~(?=\/)/, env['HOME'] ?? '~'), ...words]
}
