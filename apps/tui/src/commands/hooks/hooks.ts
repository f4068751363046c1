import { hookRows, hooksTable } from '@parley/presentation/notices/hooks-table'
import { showEffects } from '@parley/presentation/text/control-characters'
import { type HookEvent, hookEvents, type ListedHook, type TriedHook } from '@parley/protocol'
import { closest, parseRecord } from '@parley/text'
import { connect } from '../../cli/connect.ts'
import { type ExitCode, exitCodes, misused } from '../../cli/exit-codes.ts'
import { folderOf } from '../../cli/folders.ts'
import type { Launch } from '../../cli/launch-server.ts'
import { jsonLines } from '../../cli/output-lines.ts'

export interface HooksFlags {
  readonly cd?: string
  readonly environment?: string
  readonly json?: boolean
  readonly input?: string
  readonly name?: string
}

/** Runs `parley hooks list`: the user's hooks, then the hooks of the project, in the order of running. */
export async function listHooks(launch: Launch, flags: HooksFlags): Promise<number> {
  await using parley = await connect(launch, { clientName: 'parley-hooks' })
  const { hooks } = await parley.request('hook/list', folderOf(flags.cd, flags.environment))
  launch.streams.stdout.write(flags.json === true ? jsonLines(hooks) : listText(hooks))
  return exitCodes.ok
}

/** Runs `parley hooks test`: runs the hooks of an event once and prints their output; exit code `denied` if one stops, `asks` if one asks. */
export async function testHooks(launch: Launch, word: string, flags: HooksFlags): Promise<number> {
  const on = eventNamed(word)
  const { name } = flags
  const given = {
    ...(name === undefined ? {} : { name }),
    ...(flags.input === undefined ? {} : { input: inputOf(flags.input) }),
  }
  await using parley = await connect(launch, { clientName: 'parley-hooks' })
  const { input, runs } = await parley.request('hook/try', { ...folderOf(flags.cd, undefined), on, ...given })
  const text = [`reads  ${JSON.stringify(input)}\n`, ...(runs.length === 0 ? [noneFits] : runs.map(runText))].join('')
  launch.streams.stdout.write(flags.json === true ? jsonLines(runs) : showEffects(text))
  return exitCodeOf(runs)
}

function exitCodeOf(runs: readonly TriedHook[]): ExitCode {
  if (runs.some(({ outcome }) => outcome === 'stopped')) return exitCodes.denied
  if (runs.some(({ outcome }) => outcome === 'asked')) return exitCodes.asks
  return runs.some(({ outcome }) => outcome === 'failed') ? exitCodes.turnFailed : exitCodes.ok
}

function eventNamed(word: string): HookEvent {
  const found = hookEvents.find((event) => event.toLowerCase() === word.toLowerCase())
  if (found !== undefined) return found
  const near = closest(word, hookEvents)
  throw misused(
    near === null
      ? `The events are: ${hookEvents.join(', ')}.`
      : `There is no event "${word}". Did you mean "${near}"?`,
  )
}

function inputOf(text: string): Record<string, unknown> {
  const value = parseRecord(text)
  if (value !== undefined) return { ...value }
  throw misused(`--input takes a JSON object, such as '{"command": "rm -rf x"}'.`)
}

const noneFits = 'No hook runs at it.\n'

function listText(hooks: readonly ListedHook[]): string {
  const table = hooksTable({ hooks })
  if (table.kind === 'note') return `${table.text}\n`
  return hookRows(hooks)
    .map(([event, about]) => `${event}  ${about}\n`)
    .join('')
}

function runText({ hook, outcome, reason, context, updatedInput, message, said, durationMs }: TriedHook): string {
  const lines = [
    `${hook.name} (${hook.source}, ${durationMs} ms): ${outcome}${reason === undefined ? '' : `: ${reason}`}`,
    ...(updatedInput === undefined ? [] : [`  changes the call to ${JSON.stringify(updatedInput)}`]),
    ...(context === undefined ? [] : [`  tells the model: ${context}`]),
    ...(message === undefined ? [] : [`  tells you: ${message}`]),
    ...(said === undefined ? [] : [`  wrote: ${said}`]),
  ]
  return `${lines.join('\n')}\n`
}
