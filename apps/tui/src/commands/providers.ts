import type { ResultOf } from '@parley/protocol'
import { connect } from '../cli/connect.ts'
import { exitCodes } from '../cli/exit-codes.ts'
import type { Launch } from '../cli/launch-server.ts'
import { showEffects } from '../view/text/control-characters.ts'
import { formatAgo } from '../view/text/formats.ts'

type Providers = ResultOf<'provider/list'>
type Provider = Providers['providers'][number]

/** Runs `parley provider list`: one provider a line in the order of choice, then the one that is chosen and why. */
export async function listProviders(launch: Launch, { json }: { readonly json?: boolean }): Promise<number> {
  await using parley = await connect(launch, { clientName: 'parley-provider' })
  const listed = await parley.request('provider/list', {})
  const lines =
    json === true
      ? listed.providers.map((provider) => JSON.stringify(provider))
      : providerLines(listed, Date.now()).map(showEffects)
  process.stdout.write(lines.map((line) => `${line}\n`).join(''))
  return exitCodes.ok
}

const columns = ['', 'ID', 'NAME', 'WIRE', 'ADDRESS', 'KEY', 'MODELS']

/** Returns the table of providers, whose chosen one has a mark, and the reason of the choice. */
export function providerLines({ providers, chosen }: Providers, nowMs: number): readonly string[] {
  const rows = [columns, ...providers.map((provider) => cellsOf(provider, nowMs))]
  const widths = columns.map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)))
  const table = rows.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return [...table, '', choiceLine(chosen)]
}

function cellsOf(provider: Provider, nowMs: number): string[] {
  const { id, name, wire, baseUrl, chosen, models, listedAt } = provider
  const listed = models === undefined || listedAt === undefined ? '' : `${models}, listed ${formatAgo(listedAt, nowMs)}`
  return [chosen ? '*' : '', id, name, wire, baseUrl, keyCell(provider), listed]
}

function keyCell({ key, keyFrom, variables }: Provider): string {
  if (key === 'notNeeded') return 'needs none'
  if (key === 'kept') return 'kept by parley login'
  if (key === 'missing' && variables.length === 0) return 'needs parley login --oauth'
  return key === 'set' ? `${keyFrom ?? variables[0] ?? ''} is set` : `${variables.join(' or ')} is not set`
}

function choiceLine(chosen: Providers['chosen']): string {
  return chosen === null
    ? 'None is chosen: no key is set, and no configured provider can be used without one. Run `parley login`, set one of these keys, or model_provider in config.toml.'
    : `* A new conversation uses ${chosen.provider} with ${chosen.model}, because ${chosen.because}.${chosen.warning === undefined ? '' : ` ${chosen.warning}`}`
}
