import { exitCodes } from '../cli/exit-codes.ts'
import type { RunEnd } from './run-end.ts'

/** One line for programs that only ask why. */
export function whyNoAnswer(run: RunEnd): string {
  const { exitCode, failure } = run
  const cause = signalWords[exitCode] ?? failure?.message ?? reason(run) ?? 'The turn failed.'
  return [cause, denied(run)].filter((words) => words !== null).join(' ')
}

const signalWords: Readonly<Record<number, string>> = {
  [exitCodes.sigint]: 'Interrupted by SIGINT.',
  [exitCodes.sigterm]: 'Stopped by SIGTERM.',
}

/** The last words of a plain run: what was not allowed, why there is no answer, and how to go on. */
export function closingLines(run: RunEnd, isKept: boolean): string[] {
  const words = [denied(run), reason(run)].filter((line) => line !== null)
  return [...words, ...(isKept ? goOn(run) : [])].map((line) => `parley: ${line}`)
}

/** No rule lifts a question about the network, about what destroys, or about leaving the sandbox: each has its own way. */
const waysOut =
  'Ways out: rules in a --policy file (ordinary commands, unless the approval policy is never),' +
  ' -c sandbox_workspace_write.network_access=true (the network), -s danger-full-access -a never (no limits but rules that deny).'

function denied({ denials }: RunEnd): string | null {
  if (denials.length === 0) return null
  const what = denials.length === 1 ? '1 request was' : `${denials.length} requests were`
  return `${what} not allowed. ${waysOut}`
}

/** A failed or interrupted turn has said so in its transcript. */
function reason({ exitCode, outcome, answer, failure }: RunEnd): string | null {
  if (exitCode === exitCodes.ok) return null
  if (outcome === 'failed') return null
  if (failure !== null) return failure.message
  return outcome === 'completed' && answer === null ? 'The turn ended without an answer.' : null
}

function goOn({ exitCode, conversationId }: RunEnd): string[] {
  if (exitCode === exitCodes.ok || exitCode === exitCodes.storage || conversationId === null) return []
  return [`The conversation is saved. Go on with: parley exec resume ${conversationId.slice(-8)} "…"`]
}
