import { showEffects } from '@parley/presentation/text/control-characters'
import { formatAgo } from '@parley/presentation/text/formats'
import type { ResultOf } from '@parley/protocol'
import { columnLines } from '@parley/text'
import { connect } from '../cli/connect.ts'
import { exitCodes } from '../cli/exit-codes.ts'
import type { Launch } from '../cli/launch-server.ts'
import { jsonLines, shownLines } from '../cli/output-lines.ts'

type Providers = ResultOf<'provider/list'>
type Provider = Providers['providers'][number]

/** Runs `parley provider list`: prints the providers, one a line, in the order of choice, then the chosen one with the reason. */
export async function listProviders(launch: Launch, { json }: { readonly json?: boolean }): Promise<number> {
  await using parley = await connect(launch, { clientName: 'parley-provider' })
  const listed = await parley.request('provider/list', {})
  const text = json === true ? jsonLines(listed.providers) : shownLines(providerLines(listed, Date.now()))
  launch.streams.stdout.write(text)
  return exitCodes.ok
}

type Models = ResultOf<'model/list'>

/**
 * Runs `parley provider models`: asks one provider, or the chosen and the configured ones, for its models, one a line.
 * Providers that could not be asked are named on stderr; exit code 8 when nothing is listed because of them.
 */
export async function listProviderModels(
  launch: Launch,
  provider: string | undefined,
  { kept, json }: { readonly kept?: boolean; readonly json?: boolean },
): Promise<number> {
  await using parley = await connect(launch, { clientName: 'parley-provider' })
  const listed = await parley.request('model/list', {
    ...(provider === undefined ? {} : { provider }),
    ...(kept === true ? { kept } : {}),
  })
  const rows = modelsOf(listed)
  launch.streams.stdout.write(json === true ? jsonLines(rows) : shownLines(modelLines(listed, Date.now())))
  const problems = listed.problems.map(({ provider: id, message }) => `parley: ${id}: ${showEffects(message)}\n`)
  launch.streams.stderr.write(problems.join(''))
  return rows.length === 0 && problems.length > 0 ? exitCodes.provider : exitCodes.ok
}

/** Returns the models of providers and of local servers that answer, each once. */
function modelsOf({ models, local }: Models): Models['models'] {
  const known = new Set(models.map(({ provider, id }) => `${provider} ${id}`))
  const found = local.flatMap(({ provider, models: ids }) => ids.map((id) => ({ provider, id, current: false })))
  return [...models, ...found.filter(({ provider, id }) => !known.has(`${provider} ${id}`))]
}

/** Returns the table of models with a mark at the default one, and the age of lists older than a minute. */
export function modelLines(listed: Models, nowMs: number): readonly string[] {
  const rows = modelsOf(listed).map(({ provider, id, current }) => [current ? '*' : '', provider, id])
  const old = (listed.lists ?? []).filter(({ listedAt }) => nowMs - listedAt > 60_000)
  const times = old.map(({ provider, listedAt }) => `${provider} was asked ${formatAgo(listedAt, nowMs)}.`)
  if (rows.length === 0) return ['No models are listed.']
  return [...tableOf([['', 'PROVIDER', 'MODEL'], ...rows]), ...(times.length === 0 ? [] : ['', ...times])]
}

const columns = ['', 'ID', 'NAME', 'WIRE', 'ADDRESS', 'KEY', 'MODELS']

/** Returns the table of providers with a mark at the chosen one, and the reason of the choice. */
export function providerLines({ providers, chosen }: Providers, nowMs: number): readonly string[] {
  const table = tableOf([columns, ...providers.map((provider) => cellsOf(provider, nowMs))])
  return [...table, '', ...providers.flatMap(missingPackage), choiceLine(chosen)]
}

/** Returns the lines of a table without blanks at their ends. */
function tableOf(rows: readonly (readonly string[])[]): readonly string[] {
  return columnLines(rows).map((line) => line.trimEnd())
}

function missingPackage({ id, package: named }: Provider): readonly string[] {
  if (named === undefined || named.installed) return []
  return [
    `${id} cannot be used: its package ${named.name} is not installed. \`parley provider add ${named.name}\` installs it.`,
  ]
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
