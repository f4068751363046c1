import type { ConfiguredHook } from '@parley/config'
import type { EventOf, HookEvent } from '@parley/protocol'
import { type HookAnswer, hookAnswer } from '@parley/protocol/hooks'
import { exitWords, parseJson, secondsText } from '@parley/text'
import * as z from 'zod'
import type { HookEnd } from './run-hook.ts'

/** Characters of the text that a hook gives the model; the rest is cut off. */
const maxContext = 10_000
/** Longest reason, and longest other output that is kept, in characters. */
const maxReason = 2_000

/** Exit code of a hook that stops the call, message or turn it runs for. */
const stopCode = 2

/** Result of one run of a hook. It can only hold up: nothing in it permits anything. */
export interface HookFinding extends Pick<EventOf<'hook.ran'>, 'outcome' | 'reason' | 'context' | 'said' | 'endsTurn'> {
  /** Arguments that replace the call's own. */
  readonly updatedInput?: Readonly<Record<string, unknown>>
  /** Text for the user. */
  readonly message?: string
}

/** Moments that are over or only told, so that nothing is left to stop. */
const unstoppable: readonly HookEvent[] = ['SessionEnd', 'PermissionDecision', 'Notification']

/** Moments at which plain output is text for the model. */
const plainIsContext: readonly HookEvent[] = ['SessionStart', 'UserPromptSubmit']

type HookContract = Pick<ConfiguredHook, 'on' | 'required' | 'timeoutMs'>

/** Reads a hook's answer from its exit code, stdout and stderr. A failing hook that is required stops. */
export function findingOf(hook: HookContract, end: HookEnd): HookFinding {
  const found = readEnd(hook, end)
  if (unstoppable.includes(hook.on)) return found.outcome === 'stopped' ? { ...found, outcome: 'failed' } : found
  const isFailure = found.outcome === 'failed' && hook.required
  const stopping = isFailure
    ? { ...found, ...stopped(hook, `it is required, and ${found.reason ?? 'it failed'}`, {}) }
    : found
  // A turn that must not begin is ended.
  return stopping.outcome === 'stopped' && hook.on === 'SessionStart' ? { ...stopping, endsTurn: true } : stopping
}

function readEnd(hook: HookContract, end: HookEnd): HookFinding {
  const { stdout, stderr, exitCode } = end
  const said = saidBy(stdout, stderr)
  if (end.how === 'interrupted') return { outcome: 'interrupted', ...said }
  const problem = problemOf(hook, end)
  if (problem !== null) return { outcome: 'failed', reason: problem, ...said }
  if (exitCode === stopCode) return stopped(hook, stderr.trim(), said)
  const text = stdout.trim()
  if (text.startsWith('{')) return { ...readAnswer(hook, text), ...said }
  const context = plainIsContext.includes(hook.on) && text !== '' ? { context: cut(text, maxContext) } : {}
  return { outcome: 'passed', ...context, ...said }
}

function saidBy(stdout: string, stderr: string): Pick<HookFinding, 'said'> {
  const text = [stdout, stderr]
    .map((each) => each.trim())
    .join('\n')
    .trim()
  return text === '' ? {} : { said: cut(text, maxReason) }
}

/** Returns why a hook has said nothing that counts; null for one that ended with 0 or 2. */
function problemOf({ timeoutMs }: HookContract, { how, exitCode, signal, problem, stderr }: HookEnd): string | null {
  if (how === 'notStarted') return `it could not be started: ${problem ?? 'unknown reason'}`
  if (how === 'timedOut') return `it did not end within ${secondsText(timeoutMs)} and was stopped`
  if (how === 'flooded') return 'it wrote more than 1 MiB and was stopped'
  if (exitCode === null) return `it was ended by ${signal ?? 'a signal'}`
  if (exitCode === 0 || exitCode === stopCode) return null
  const [first = ''] = stderr.trim().split('\n')
  return `it ended with ${exitWords(exitCode)}${first === '' ? '' : `: ${cut(first, 300)}`}`
}

function stopped({ on }: HookContract, reason: string, said: Pick<HookFinding, 'said'>): HookFinding {
  const text = reason === '' ? 'it gives no reason' : cut(reason, maxReason)
  // The call has run, or the turn would end: the reason is for the model.
  const context = on === 'PostToolUse' || on === 'Stop' ? { context: text } : {}
  return { outcome: 'stopped', reason: text, ...context, ...said }
}

function readAnswer(hook: HookContract, text: string): HookFinding {
  const value = parseJson(text)
  if (value === undefined) return { outcome: 'failed', reason: 'its output begins like JSON and is none' }
  const answer = hookAnswer.safeParse(value)
  if (answer.success) return answered(hook, answer.data)
  const [problem = ''] = z.prettifyError(answer.error).split('\n')
  const [issue] = answer.error.issues
  return {
    outcome: 'failed',
    reason: `its answer is not right: ${issue?.path.join('.') ?? ''}${problem.replace(/^✖/, '')}`,
  }
}

function answered(hook: HookContract, answer: HookAnswer): HookFinding {
  const { hookSpecificOutput: own = {}, systemMessage } = answer
  const message = systemMessage === undefined || systemMessage === '' ? {} : { message: cut(systemMessage, maxReason) }
  const { additionalContext = '' } = own
  const context = additionalContext === '' ? {} : { context: cut(additionalContext, maxContext) }
  const reason = own.permissionDecisionReason ?? answer.reason ?? ''
  if (answer.continue === false)
    return hook.on === 'Stop'
      ? { outcome: 'passed', ...message }
      : { ...stopped(hook, answer.stopReason ?? reason, {}), endsTurn: true, ...context, ...message }
  const stops = answer.decision === 'block' || own.permissionDecision === 'deny'
  if (stops) return { ...stopped(hook, reason, {}), ...context, ...message }
  if (hook.on !== 'PreToolUse') return { outcome: 'passed', ...context, ...message }
  const { updatedInput } = own
  const change = updatedInput === undefined ? {} : { updatedInput }
  if (own.permissionDecision !== 'ask' && updatedInput === undefined)
    return { outcome: 'passed', ...context, ...message }
  const why = reason === '' ? {} : { reason: cut(reason, maxReason) }
  return { outcome: 'asked', ...why, ...change, ...context, ...message }
}

function cut(text: string, maxCharacters: number): string {
  const characters = text.slice(0, maxCharacters)
  return characters.length === text.length
    ? text
    : `${characters.toWellFormed()}… (cut after ${maxCharacters} characters)`
}
