import { ClientError } from '@parley/client'
import { shownLine } from '@parley/presentation/text/control-characters'
import type { CheckupFinding } from '@parley/protocol'
import { RpcError } from '@parley/rpc'
import { countedNoun, greatest, withoutUndefined } from '@parley/text'
import { connect } from '../cli/connect.ts'
import { exitCodes, ParleyError } from '../cli/exit-codes.ts'
import { workingFolder } from '../cli/folders.ts'
import type { Launch } from '../cli/launch-server.ts'
import { jsonLines, shownLines } from '../cli/output-lines.ts'

export interface DoctorFlags {
  readonly json?: boolean
  /** Commander's name for `--no-provider`. */
  readonly provider: boolean
}

/** Runs `parley doctor`: checks this process and its terminal, then runs the checks of the server. */
export async function runDoctor(launch: Launch, { json, provider }: DoctorFlags): Promise<number> {
  const cwd = workingFolder()
  const here = checkProcess(launch.env, {
    node: process.version,
    isTerminal: process.stdout.isTTY === true,
    columns: process.stdout.columns,
    rows: process.stdout.rows,
  })
  const checks = [...here, ...(await askServer(launch, cwd, provider))]
  return report(checks, json === true)
}

function report(checks: readonly CheckupFinding[], asJson: boolean): number {
  process.stdout.write(asJson ? jsonLines(checks) : shownLines(reportLines(checks)))
  return checks.some(({ level }) => level === 'problem') ? exitCodes.turnFailed : exitCodes.ok
}

/** Runs `parley doctor net`: each step on the way to a model of the provider, up to the first that fails. */
export async function runNetworkDoctor(
  launch: Launch,
  provider: string | undefined,
  { model, json }: { readonly model?: string; readonly json?: boolean },
): Promise<number> {
  await using parley = await connect(launch, { clientName: 'parley-doctor' })
  const { checks } = await parley.request('provider/check', withoutUndefined({ provider, model }))
  return report(checks, json === true)
}

/** Returns the server's checks, or a problem if the server does not start. */
async function askServer(launch: Launch, cwd: string, provider: boolean): Promise<readonly CheckupFinding[]> {
  try {
    await using parley = await connect(launch, { clientName: 'parley-doctor' })
    const { version, build } = parley.server.serverInfo
    const { checks } = await parley.request('server/checkup', { cwd, provider })
    return [{ name: 'parley', level: 'ok', text: `${version} (${build})` }, ...checks]
  } catch (error) {
    if (!(error instanceof ParleyError || error instanceof RpcError || error instanceof ClientError)) throw error
    return [{ name: 'server', level: 'problem', text: error.message }]
  }
}

const marks: Readonly<Record<CheckupFinding['level'], string>> = { ok: 'ok', warning: 'warning', problem: 'PROBLEM' }

function reportLines(checks: readonly CheckupFinding[]): readonly string[] {
  const width = greatest(checks.map(({ name }) => name.length))
  const lines = checks.flatMap(({ name, level, text, remedy }) => [
    `${marks[level].padEnd(7)}  ${name.padEnd(width)}  ${shownLine(text)}`,
    ...(remedy === undefined ? [] : [`${''.padEnd(9 + width)}  ${shownLine(remedy)}`]),
  ])
  return [...lines, '', closing(checks)]
}

function closing(checks: readonly CheckupFinding[]): string {
  const count = (level: CheckupFinding['level']) => checks.filter((check) => check.level === level).length
  const problems = count('problem')
  const warnings = count('warning')
  if (problems === 0 && warnings === 0) return 'All is well.'
  const text = `${counted(problems, 'problem')}, ${counted(warnings, 'warning')}.`
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function counted(count: number, what: string): string {
  return count === 0 ? `no ${what}s` : countedNoun(count, what)
}

interface ProcessFacts {
  readonly node: string
  readonly isTerminal: boolean
  readonly columns: number | undefined
  readonly rows: number | undefined
}

const leastNode = 24
const leastColumns = 40
const leastRows = 10

/** Checks the Node, the terminal and the locale of this process. */
export function checkProcess(env: Launch['env'], here: ProcessFacts): readonly CheckupFinding[] {
  return [checkNode(here.node), checkTerminal(env, here), checkLetters(env)]
}

function checkNode(version: string): CheckupFinding {
  const major = Number(/^v(\d+)/.exec(version)?.[1])
  if (major >= leastNode) return { name: 'node', level: 'ok', text: version }
  return {
    name: 'node',
    level: 'problem',
    text: `${version} is older than ${leastNode}`,
    remedy: 'Start parley by its launcher, which brings its own.',
  }
}

function checkTerminal(env: Launch['env'], here: ProcessFacts): CheckupFinding {
  const { isTerminal, columns = 0, rows = 0 } = here
  const name = 'terminal'
  if (!isTerminal) return { name, level: 'ok', text: 'none here: stdout is a file or a pipe' }
  const term = env['TERM'] ?? ''
  if (term === '' || term === 'dumb')
    return {
      name,
      level: 'warning',
      text: `TERM is ${term === '' ? 'not set' : term}: the screen cannot be drawn`,
      remedy: 'Use parley exec, or a terminal that moves its cursor.',
    }
  if (columns < leastColumns || rows < leastRows)
    return {
      name,
      level: 'warning',
      text: `${term}, ${columns}×${rows}: questions may not fit`,
      remedy: `Make it at least ${leastColumns}×${leastRows}.`,
    }
  return { name, level: 'ok', text: `${term}, ${columns}×${rows}${env['NO_COLOR'] ? ', without colour' : ''}` }
}

/** Checks the locale: frames and marks need UTF-8. */
function checkLetters(env: Launch['env']): CheckupFinding {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || ''
  const name = 'letters'
  if (/utf-?8/i.test(locale)) return { name, level: 'ok', text: locale }
  return {
    name,
    level: 'warning',
    text: locale === '' ? 'no locale is set' : `the locale is ${locale}, which is not UTF-8`,
    remedy: 'Set LANG to a UTF-8 locale, such as C.UTF-8, unless the terminal takes UTF-8 anyway.',
  }
}
