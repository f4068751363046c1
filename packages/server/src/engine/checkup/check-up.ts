import { resolve } from 'node:path'
import type { Check, Enforcement, ParamsOf, ResultOf } from '@parley/protocol'
import { type Environment, liesWithin, whenUnknown } from '@parley/workspace'
import type { PolicyPorts } from '../policy/read-rules.ts'
import { readConfig } from '../settings/read-config.ts'
import { type CheckProviderPorts, checkConfig, checkProvider } from './check-config.ts'
import { checkHome, checkOwners } from './check-home.ts'

export interface CheckupPorts extends PolicyPorts, CheckProviderPorts {}

/** Runs all checks at once. A check that fails is reported as a problem and does not stop the others. */
export async function checkUp(
  { cwd, provider = true }: ParamsOf<'server/checkup'>,
  ports: CheckupPorts,
): Promise<ResultOf<'server/checkup'>> {
  const looks: readonly (readonly [string, () => Check[] | Promise<Check[]>])[] = [
    ['home', () => checkHome(ports.home)],
    ['configuration', () => checkConfig(cwd, ports)],
    ['sandbox', () => checkSandbox(ports)],
    ['secrets', () => checkSecrets(ports)],
    ['shell parser', () => checkShellParser(ports)],
    ['conversations', () => checkOwners(ports)],
    ...(provider ? [['provider', () => checkProvider(ports)] as const] : []),
  ]
  const found = await Promise.all(looks.map(([name, look]) => lookAt(name, look)))
  return { checks: found.flat() }
}

async function lookAt(name: string, look: () => Check[] | Promise<Check[]>): Promise<Check[]> {
  try {
    return await look()
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    return [{ name, level: 'problem', text: `it could not be looked at: ${text}` }]
  }
}

const meanings: Readonly<Record<Enforcement, string>> = {
  full: 'full enforcement',
  partial: 'partial enforcement: only what is known to look runs unasked',
  none: 'no enforcement: all that is not known to be safe asks first',
}

/** Checks the sandbox of this machine. */
export async function checkSandbox({ places }: Pick<PolicyPorts, 'places'>): Promise<Check[]> {
  const { environment: place, release } = places.take({ environment: undefined, config: {} })
  const { enforcement, reason } = await place.sandboxes.report().finally(release)
  const said = { name: 'sandbox', text: meanings[enforcement] }
  return [
    enforcement === 'full'
      ? { ...said, level: 'ok', text: `${meanings[enforcement]}. ${reason}` }
      : { ...said, level: 'warning', remedy: reason },
  ]
}

/** Lists the places of secrets that exist here, and those of the user's own list that do not. */
export async function checkSecrets({ places, home }: Pick<PolicyPorts, 'places' | 'home'>): Promise<Check[]> {
  const { environment: place, release } = places.take({ environment: undefined, config: {} })
  const name = 'secrets'
  try {
    const existing = (await Promise.all((await place.secrets()).map((path) => realIfThere(path, place)))).flat()
    const shown = (path: string) => (liesWithin(path, place.home) ? `~${path.slice(place.home.length)}` : path)
    const found = [...new Set(existing)].map(shown)
    const { enforcement } = await place.sandboxes.report()
    const hidden = enforcement === 'full' ? 'hidden from commands' : 'not hidden from commands without the full sandbox'
    const text = `${found.length} places of secrets exist here, ${hidden}: ${found.join(', ')}`
    return [{ name, level: 'ok', text: text.slice(0, maxText) }, ...(await checkAdded(home, place))]
  } finally {
    release()
  }
}

/** Enough for about 150 places. */
const maxText = 4000

async function checkAdded(home: string, place: Environment): Promise<Check[]> {
  const { paths = [] } = readConfig(home, {}).values.secrets ?? {}
  const isThere = async (path: string) =>
    (await realIfThere(resolve(place.home, path.replace(/^~\//, '')), place)).length > 0
  const missing = await Promise.all(paths.map(async (path) => ((await isThere(path)) ? [] : [path])))
  return missing.flat().map((path) => ({
    name: 'secrets',
    level: 'warning',
    text: `paths in [secrets] of config.toml names ${path}, and nothing is there`,
    remedy: 'It is hidden once it is there. Mend the path if it is mistyped.',
  }))
}

async function realIfThere(path: string, { files }: Environment): Promise<string[]> {
  try {
    await files.look(path)
    return [await files.realPath(path)]
  } catch (error) {
    return whenUnknown<string[]>([])(error)
  }
}

/** Checks the shell parser. Without it every command asks. */
export async function checkShellParser({ shellParser }: Pick<PolicyPorts, 'shellParser'>): Promise<Check[]> {
  const { commands, because } = await shellParser.read('true')
  if (commands !== null) return [{ name: 'shell parser', level: 'ok', text: 'reads commands' }]
  const text = because ?? 'it reads nothing'
  return [{ name: 'shell parser', level: 'problem', text, remedy: 'Every command asks. Install parley anew.' }]
}
