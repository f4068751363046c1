import { resolve } from 'node:path'
import { ConfigError, chosenEnvironment } from '@parley/config'
import type { ProviderKeys } from '@parley/credentials'
import type { Env, ModelListing } from '@parley/models'
import { type Project, problemLocation, readPolicyFile, widerRules } from '@parley/policy'
import type { CheckupFinding, Enforcement, ParamsOf, ResultOf } from '@parley/protocol'
import type { Redaction } from '@parley/redaction'
import { countedNoun, errorMessage } from '@parley/text'
import { type Environment, liesWithin, whenUnknown } from '@parley/workspace'
import { findOwnFileInside } from '../limits/workspace-folders.ts'
import type { PolicyPorts } from '../policy/read-rules.ts'
import { chooseProvider, keyVariables, type ModelSources } from '../settings/model-sources.ts'
import { configHere, readConfig } from '../settings/read-config.ts'
import { checkHome, checkOwners } from './check-home.ts'
import { checkVariables } from './check-variables.ts'

export interface CheckupPorts extends PolicyPorts, CheckProviderPorts {
  readonly redaction: Pick<Redaction, 'hasSecret'>
}

/** Runs all checks at once. A check that fails is reported as a problem and does not stop the others. */
export async function checkUp(
  { cwd, provider = true }: ParamsOf<'server/checkup'>,
  ports: CheckupPorts,
): Promise<ResultOf<'server/checkup'>> {
  const checks: readonly (readonly [string, () => CheckupFinding[] | Promise<CheckupFinding[]>])[] = [
    ['home', () => checkHome(ports.home)],
    ['configuration', () => checkConfig(cwd, ports)],
    ['sandbox', () => checkSandbox(ports)],
    ['secrets', () => checkSecrets(ports)],
    ['variables', () => variablesHere(cwd, ports)],
    ['shell parser', () => checkShellParser(ports)],
    ['conversations', () => checkOwners(ports)],
    ...(provider ? [['provider', () => checkProvider(ports)] as const] : []),
  ]
  const found = await Promise.all(checks.map(([name, check]) => runCheck(name, check)))
  return { checks: found.flat() }
}

async function runCheck(
  name: string,
  check: () => CheckupFinding[] | Promise<CheckupFinding[]>,
): Promise<CheckupFinding[]> {
  try {
    return await check()
  } catch (error) {
    const text = errorMessage(error)
    return [{ name, level: 'problem', text: `the check failed: ${text}` }]
  }
}

const meanings: Readonly<Record<Enforcement, string>> = {
  full: 'full enforcement',
  partial: 'partial enforcement: only commands known to be harmless run unasked',
  none: 'no enforcement: commands not known to be harmless ask first, or are denied where the approval policy is never',
}

/** Checks the sandbox of this machine. */
async function checkSandbox({ environments }: Pick<PolicyPorts, 'environments'>): Promise<CheckupFinding[]> {
  const { environment, release } = environments.take({ environment: undefined, config: {} })
  const { enforcement, reason } = await environment.sandboxes.report().finally(release)
  const said = { name: 'sandbox', text: meanings[enforcement] }
  return [
    enforcement === 'full'
      ? { ...said, level: 'ok', text: `${meanings[enforcement]}. ${reason}` }
      : { ...said, level: 'warning', remedy: reason },
  ]
}

/** Lists the places of secrets that exist here, and those of the user's own list that do not. */
async function checkSecrets({
  environments,
  home,
}: Pick<PolicyPorts, 'environments' | 'home'>): Promise<CheckupFinding[]> {
  const { environment, release } = environments.take({ environment: undefined, config: {} })
  const name = 'secrets'
  try {
    const existing = (
      await Promise.all((await environment.secrets()).map((path) => realIfThere(path, environment)))
    ).flat()
    const shown = (path: string) =>
      liesWithin(path, environment.home) ? `~${path.slice(environment.home.length)}` : path
    const found = [...new Set(existing)].map(shown)
    const { enforcement } = await environment.sandboxes.report()
    const hidden = enforcement === 'full' ? 'hidden from commands' : 'not hidden from commands without the full sandbox'
    const text = `${found.length} places of secrets exist here, ${hidden}: ${found.join(', ')}`
    return [{ name, level: 'ok', text: text.slice(0, maxText) }, ...(await checkAdded(home, environment))]
  } finally {
    release()
  }
}

/** Checks which variables of this process its commands get. A configuration that cannot be read is a line of its own. */
function variablesHere(cwd: string, ports: CheckupPorts): CheckupFinding[] {
  try {
    const { values } = configHere(cwd, {}, ports).effective
    const { env, redaction } = ports
    return [checkVariables({ env, redaction, values, changeable: foldersHere(cwd, ports) })]
  } catch (error) {
    if (error instanceof ConfigError) return []
    throw error
  }
}

/** Enough for about 150 places. */
const maxText = 4000

async function checkAdded(home: string, environment: Environment): Promise<CheckupFinding[]> {
  const { paths = [] } = readConfig(home, {}).values.secrets ?? {}
  const isThere = async (path: string) =>
    (await realIfThere(resolve(environment.home, path.replace(/^~\//, '')), environment)).length > 0
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
async function checkShellParser({ shellParser }: Pick<PolicyPorts, 'shellParser'>): Promise<CheckupFinding[]> {
  const { commands, because } = await shellParser.read('true')
  if (commands !== null) return [{ name: 'shell parser', level: 'ok', text: 'reads commands' }]
  const text = because ?? 'it reads nothing'
  return [{ name: 'shell parser', level: 'problem', text, remedy: 'Every command asks. Install parley anew.' }]
}

/** Checks that the user's files can be read, and lists what in them has no effect. */
async function checkConfig(cwd: string, ports: PolicyPorts): Promise<CheckupFinding[]> {
  return [
    ...checkSettings(ports.home),
    await checkRules(ports.userRules.file),
    ...checkProject(cwd, ports),
    ...checkOwnFiles(cwd, ports),
  ]
}

const projectStates: Readonly<Record<Project['state'], string>> = {
  untrusted: 'has configuration of its own, which you have not trusted: nothing of it takes effect',
  changed: 'has configuration that changed since you trusted it: nothing of it takes effect',
  trusted: 'has configuration that you trust',
  declined: 'has configuration that you declined: nothing of it takes effect',
}

/** Reports the project's own configuration, and whether it is trusted. */
function checkProject(cwd: string, { projects }: PolicyPorts): CheckupFinding[] {
  const project = projects.of(cwd)
  if (project === null) return []
  const { state, root, problems } = project
  const said = { name: 'project', text: `${root} ${projectStates[state]}` }
  const isOpen = state === 'untrusted' || state === 'changed'
  return [
    isOpen
      ? { ...said, level: 'warning', remedy: '`parley trust` shows what it would do, and takes your answer.' }
      : { ...said, level: 'ok' },
    ...problems.map((text): CheckupFinding => ({ name: 'project', level: 'warning', text })),
  ]
}

/** Reports an own file of the user that a conversation in this folder could change: none is opened then. */
function checkOwnFiles(cwd: string, ports: PolicyPorts): CheckupFinding[] {
  const inside = findOwnFileInside(foldersHere(cwd, ports), ports.home)
  if (inside === null) return []
  const remedy = 'No conversation opens in this folder until then.'
  return [{ name: 'configuration', level: 'problem', text: inside.message, remedy }]
}

/** Returns the folders of a conversation here; none where it would work elsewhere, or the settings cannot be read. */
function foldersHere(cwd: string, ports: PolicyPorts): readonly string[] {
  try {
    const { values } = configHere(cwd, {}, ports).effective
    const added = values.sandbox_workspace_write?.writable_roots ?? []
    return chosenEnvironment(values) === null ? [cwd, ...added.map((root) => resolve(cwd, root))] : []
  } catch (error) {
    if (error instanceof ConfigError) return []
    throw error
  }
}

function checkSettings(home: string): CheckupFinding[] {
  try {
    const { origins, warnings } = readConfig(home, {})
    const count = origins.size
    const text =
      count === 0
        ? 'nothing is set; the defaults hold'
        : `${countedNoun(count, 'value')} set; \`parley config\` shows each with its origin`
    return [
      { name: 'configuration', level: 'ok', text },
      ...warnings.map((warning): CheckupFinding => ({ name: 'configuration', level: 'warning', text: warning })),
    ]
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [
      {
        name: 'configuration',
        level: 'problem',
        text: error.message,
        remedy: 'Correct it; parley does not start until then.',
      },
    ]
  }
}

async function checkRules(file: string): Promise<CheckupFinding> {
  const { rules, problems } = await readPolicyFile(file, { mayWiden: true })
  const [problem] = problems
  if (problem === undefined) {
    const wider = widerRules(rules).map((rule) => rule.text)
    const beyond = wider.length === 0 ? '' : `; beyond the sandbox without a question: ${wider.join(', ')}`
    const text = rules.length === 0 ? 'none of your own' : `${rules.length} in ${file}${beyond}`
    return { name: 'rules', level: 'ok', text }
  }
  return {
    name: 'rules',
    level: 'problem',
    text: `${problemLocation(problem)}: ${problem.message}`,
    remedy: 'Correct it; no conversation opens until then, since a rule that cannot be read may be a limit.',
  }
}

interface CheckProviderPorts {
  readonly home: string
  readonly env: Env
  readonly keys: ProviderKeys
  readonly models: ModelSources
}

const patienceMs = 1_200

/** Checks that the provider of a new conversation answers, by listing its models, which costs nothing. */
async function checkProvider({ home, env, keys, models }: CheckProviderPorts): Promise<CheckupFinding[]> {
  const { values } = readConfig(home, {})
  const chosen = chooseProvider(values, { env, kept: keys.kept() })
  const name = 'provider'
  if (chosen === null) {
    const variables = keyVariables(values).join(', ')
    return [
      {
        name,
        level: 'problem',
        text: `no model is configured: ${variables} not set`,
        remedy: 'Run `parley login`, set a key, or run `parley demo` to try it without one.',
      },
    ]
  }
  const about = `${chosen.id} (${chosen.because}), model ${chosen.model}`
  const listing = await models(values)(chosen.id).client.listModels(AbortSignal.timeout(patienceMs))
  const { warning } = chosen
  const unnamed: CheckupFinding[] = warning === undefined ? [] : [{ name: 'model', level: 'warning', text: warning }]
  return [{ name, ...judged(listing, about) }, ...unnamed]
}

function judged(listing: ModelListing, about: string): Omit<CheckupFinding, 'name'> {
  switch (listing.type) {
    case 'models':
      return { level: 'ok', text: `${about}: it answers` }
    case 'unlisted':
      return { level: 'ok', text: `${about}: it has no list of models, so it was not asked` }
    case 'aborted':
      return {
        level: 'warning',
        text: `${about}: no answer within ${patienceMs / 1000} s`,
        remedy: 'It may be slow; or the network, a proxy or its address is not right.',
      }
    case 'failed':
      return { level: 'problem', text: `${about}: ${listing.failure.message}` }
  }
}
