import type { ExecFlags } from '../cli/flags.ts'
import { outputFormatOf } from '../cli/output-format.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Who sends the prompt, as the log will name it. The Codex SDK names itself in a variable. */
export function callerName(flags: ExecFlags, env: Environment): string {
  const caller = outputFormatOf(flags) === 'codex' ? env['CODEX_INTERNAL_ORIGINATOR_OVERRIDE'] : undefined
  return flags.threadSource || caller || 'parley-exec'
}
