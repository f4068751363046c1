import type { Client } from '@parley/client'
import type { TrustReport } from '@parley/protocol'
import type { Launch } from '../main.ts'
import { oneLine, type Row, trustRows } from '../ui/notices/trust-table.ts'
import { connect } from './connect.ts'
import { exitCodes } from './exit-codes.ts'
import { misused } from './parley-error.ts'
import { fromWorkingFolder, workingFolder } from './working-folder.ts'

export interface TrustFlags {
  readonly cd?: string
  /** The hash that was shown. */
  readonly yes?: string
  readonly no?: boolean
  readonly json?: boolean
}

/** `parley trust`: what the configuration of a project would do; with `--yes` or `--no` a verdict on it. */
export async function decideTrust(launch: Launch, flags: TrustFlags): Promise<number> {
  const { cd, yes, no, json } = flags
  if (yes !== undefined && no === true) throw misused('Give --yes HASH or --no, not both.')
  await using connection = await connect(launch, { canApprove: false, clientName: 'parley-trust' })
  const cwd = cd === undefined ? workingFolder() : fromWorkingFolder(cd)
  const report = await reportOn(connection.client, cwd, flags)
  process.stdout.write(json === true ? `${JSON.stringify(report)}\n` : textOf(report))
  return exitCodes.ok
}

async function reportOn(client: Client, cwd: string, { yes, no }: TrustFlags): Promise<TrustReport> {
  if (yes !== undefined) return client.request('trust/decide', { cwd, hash: yes, verdict: 'trusted' })
  const report = await client.request('trust/read', { cwd })
  if (no !== true || report.hash === null) return report
  return client.request('trust/decide', { cwd, hash: report.hash, verdict: 'declined' })
}

function textOf(report: TrustReport): string {
  const { root, state, hash } = report
  if (state === 'none') return `${oneLine(root)} brings no configuration of its own.\n`
  const ways =
    hash === null
      ? []
      : state === 'trusted'
        ? ['parley trust --no takes that back.']
        : [`To trust exactly this: parley trust --yes ${hash}`, 'To decline it:         parley trust --no']
  return [`What the configuration of ${oneLine(root)} does`, ...trustRows(report).map(lineOf), ...ways, '']
    .map((line) => line.trimEnd())
    .join('\n')
}

function lineOf([label, text]: Row): string {
  return `  ${label.padEnd(11)}  ${text}`
}
