import type { Check } from '@parley/protocol'
import { RpcError } from '@parley/rpc'
import type { Launch } from '../../main.ts'
import { showHidden } from '../../view/text/control-characters.ts'
import { connect } from '../connect.ts'
import { exitCodes } from '../exit-codes.ts'
import { ParleyError } from '../parley-error.ts'
import { workingFolder } from '../working-folder.ts'
import { checkHere } from './check-here.ts'

export interface DoctorFlags {
  readonly json?: boolean
  /** Commander's spelling of `--no-provider`. */
  readonly provider: boolean
}

/** `parley doctor`: what this process sees of itself, and what the server sees of the rest. */
export async function runDoctor(launch: Launch, { json, provider }: DoctorFlags): Promise<number> {
  const cwd = workingFolder()
  const here = checkHere(launch.env, {
    node: process.version,
    isTerminal: process.stdout.isTTY === true,
    columns: process.stdout.columns,
    rows: process.stdout.rows,
  })
  const checks = [...here, ...(await askServer(launch, cwd, provider))]
  const lines = json === true ? checks.map((check) => JSON.stringify(check)) : reportLines(checks)
  process.stdout.write(lines.map((line) => `${line}\n`).join(''))
  return checks.some(({ level }) => level === 'problem') ? exitCodes.turnFailed : exitCodes.ok
}

/** A server that does not start is what there is to report. */
async function askServer(launch: Launch, cwd: string, provider: boolean): Promise<readonly Check[]> {
  try {
    await using connection = await connect(launch, { canApprove: false, clientName: 'parley-doctor' })
    const { version, build } = connection.client.server.serverInfo
    const { checks } = await connection.client.request('server/checkup', { cwd, provider })
    return [{ name: 'parley', level: 'ok', text: `${version} (${build})` }, ...checks]
  } catch (error) {
    if (!(error instanceof ParleyError || error instanceof RpcError)) throw error
    return [{ name: 'server', level: 'problem', text: error.message }]
  }
}

const marks: Readonly<Record<Check['level'], string>> = { ok: 'ok', warning: 'warning', problem: 'PROBLEM' }

function reportLines(checks: readonly Check[]): readonly string[] {
  const width = Math.max(...checks.map(({ name }) => name.length))
  const lines = checks.flatMap(({ name, level, text, remedy }) => [
    `${marks[level].padEnd(7)}  ${name.padEnd(width)}  ${oneLine(text)}`,
    ...(remedy === undefined ? [] : [`${''.padEnd(9 + width)}  ${oneLine(remedy)}`]),
  ])
  return [...lines, '', closing(checks)]
}

function closing(checks: readonly Check[]): string {
  const count = (level: Check['level']) => checks.filter((check) => check.level === level).length
  const problems = count('problem')
  const warnings = count('warning')
  if (problems === 0 && warnings === 0) return 'All is well.'
  const text = `${counted(problems, 'problem')}, ${counted(warnings, 'warning')}.`
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function counted(count: number, what: string): string {
  return `${count === 0 ? 'no' : count} ${what}${count === 1 ? '' : 's'}`
}

function oneLine(text: string): string {
  return showHidden(text).replaceAll('\n', ' ')
}
