import type { Parley } from '@parley/client'
import { escapedLine, type LabelledText, trustRows } from '@parley/presentation/notices/trust-table'
import { showEffects } from '@parley/presentation/text/control-characters'
import type { TrustReport } from '@parley/protocol'
import { columnLines } from '@parley/text'
import { connect } from '../cli/connect.ts'
import { exitCodes, misused } from '../cli/exit-codes.ts'
import { type CommonFlags, overridesOf, type ServerFlags, typedFlags, typedServer } from '../cli/flags.ts'
import { folderOf, type NamedFolder, workingFolder } from '../cli/folders.ts'
import type { Launch } from '../cli/launch-server.ts'

/** Runs `parley config`: each effective value with its origin. */
export async function showConfig(launch: Launch, flags: CommonFlags & { json?: boolean }): Promise<number> {
  const overrides = overridesOf(flags)
  const { cwd = workingFolder() } = overrides
  await using parley = await connect(launch, { clientName: 'parley-config' })
  const config = await parley.request('config/read', { ...overrides, cwd })
  for (const warning of config.warnings) launch.streams.stderr.write(`parley: ${showEffects(warning)}\n`)
  const rows = config.values.map(({ key, value, origin }) => [key, `${JSON.stringify(value)}  (${origin})`])
  const lines = columnLines(rows).map(showEffects)
  launch.streams.stdout.write(flags.json === true ? `${JSON.stringify(config)}\n` : `${lines.join('\n')}\n`)
  return exitCodes.ok
}

export interface TrustFlags extends ServerFlags {
  readonly cd?: string
  readonly environment?: string
  /** Hash as shown by `parley trust`. */
  readonly yes?: string
  readonly no?: boolean
  readonly json?: boolean
}

/** Runs `parley trust`: shows the effects of a project's configuration; `--yes` and `--no` decide on it. */
export async function decideTrust(launch: Launch, flags: TrustFlags): Promise<number> {
  const { cd, yes, no, json, environment } = flags
  if (yes !== undefined && no === true) throw misused('Give --yes HASH or --no, not both.')
  await using parley = await connect(launch, { clientName: 'parley-trust' })
  const report = await reportOn(parley, folderOf(cd, environment), flags)
  launch.streams.stdout.write(json === true ? `${JSON.stringify(report)}\n` : showEffects(trustText(report, flags)))
  return exitCodes.ok
}

async function reportOn(parley: Parley, folder: NamedFolder, { yes, no }: TrustFlags): Promise<TrustReport> {
  if (yes !== undefined) return parley.request('trust/decide', { ...folder, hash: yes, verdict: 'trusted' })
  const report = await parley.request('trust/read', folder)
  if (no !== true || report.hash === null) return report
  return parley.request('trust/decide', { ...folder, hash: report.hash, verdict: 'declined' })
}

/** Returns the report with the ways to decide, and after a decision with the servers that know of it. */
export function trustText(report: TrustReport, flags: TrustFlags): string {
  const { root, state, hash } = report
  if (state === 'none') return `${escapedLine(root)} brings no configuration of its own.\n`
  const ways = hash === null ? [] : [...waysToDecide(report, hash, flags), ...placeLines(report, flags)]
  return [`What the configuration of ${escapedLine(root)} does`, ...trustRows(report).map(lineOf), ...ways, '']
    .map((line) => line.trimEnd())
    .join('\n')
}

/** Returns the commands that decide, or a sentence about the users that may decide. */
function waysToDecide({ state, rejects = {} }: TrustReport, hash: string, flags: TrustFlags): readonly string[] {
  const { cd, environment } = flags
  const where = `${typedFlags({ '--cd': cd, '--environment': environment })}${typedServer(flags)}`
  if (rejects.declined !== undefined) return [rejects.declined]
  if (state === 'trusted') return [`parley trust --no${where} takes that back.`]
  return [
    rejects.trusted ?? `To trust exactly this: parley trust --yes ${hash}${where}`,
    `To decline it:         parley trust --no${where}`,
  ]
}

/** Returns a sentence about the servers that know of a new decision on a project of an environment. */
function placeLines({ keptIn }: TrustReport, { yes, no }: TrustFlags): readonly string[] {
  if (keptIn === undefined || (yes === undefined && no !== true)) return []
  if (keptIn === 'store') return ['All servers of the store know of it.']
  return [
    'The servers of this home know of it. Those of a store do not, where only --store names that: one of this home tells',
    'it to them when a conversation next opens there, a yes only where they have no answer yet. With [store] in config.toml',
    'parley trust tells the store itself.',
  ]
}

function lineOf([label, text]: LabelledText): string {
  return `  ${label.padEnd(11)}  ${text}`
}
