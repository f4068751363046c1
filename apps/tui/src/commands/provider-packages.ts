import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { exitCodes, misused, ParleyError } from '../cli/exit-codes.ts'
import { fromWorkingFolder, homeFolder } from '../cli/folders.ts'
import type { Launch } from '../cli/launch-server.ts'
import { runProgram } from '../programs/run-program.ts'
import { shownLine } from '../view/text/control-characters.ts'

interface AddFlags {
  /** Installs without asking. */
  readonly yes?: boolean
}

/** Runs `parley provider add`: fetches a package without running any of its scripts, shows it, asks, and keeps it. */
export async function addProvider({ env }: Launch, spec: string, { yes }: AddFlags): Promise<number> {
  if (yes !== true && !(process.stdin.isTTY && process.stderr.isTTY))
    throw misused('There is nobody to ask here. Look at the package first; --yes installs it without a question.')
  const folder = join(homeFolder(env), 'providers')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const fresh = await mkdtemp(join(folder, '.new-'))
  try {
    const found = await fetchPackage(fresh, spec, env)
    process.stderr.write(`${describe(found).map(shownLine).join('\n')}\n`)
    if (yes !== true && !(await isAgreed())) {
      process.stderr.write('Not installed.\n')
      return exitCodes.ok
    }
    const place = join(folder, folderName(found.name))
    await rm(place, { recursive: true, force: true })
    await rename(fresh, place)
    process.stdout.write(`${nextSteps(found.name).map(shownLine).join('\n')}\n`)
    return exitCodes.ok
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}

/** Runs `parley provider remove`. */
export async function removeProvider({ env }: Launch, name: string): Promise<number> {
  const place = join(homeFolder(env), 'providers', folderName(name))
  const isThere = await readFile(join(place, 'package.json'), 'utf8').then(
    () => true,
    () => false,
  )
  if (!isThere) throw misused(`${name} is not installed.`)
  await rm(place, { recursive: true, force: true })
  process.stdout.write(
    `${shownLine(name)} is removed. Its [model_providers] entry in config.toml stays until you take it out.\n`,
  )
  return exitCodes.ok
}

/** Returns the name of a package's folder, as the server looks for it. */
function folderName(name: string): string {
  if (/^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/i.test(name))
    return name.replace(/^@/, '').replaceAll('/', '__')
  throw misused(`${name} is not the name of a package.`)
}

interface Found {
  readonly name: string
  readonly version: string
  readonly integrity: string
  /** Account that published it; null where the registry does not say, or it is a file. */
  readonly publisher: string | null
  readonly dependencies: number
  /** Packages with install scripts, which are not run. */
  readonly scripts: number
}

const npmMs = 180_000
const maxBytes = 1024 * 1024

/** Installs a package with exact versions and their checksums in a folder of its own. */
async function fetchPackage(folder: string, spec: string, env: Launch['env']): Promise<Found> {
  await writeFile(join(folder, 'package.json'), `${JSON.stringify({ name: 'parley-provider', private: true })}\n`)
  const isFile = /^(?:\.{0,2}\/|file:)|\.tgz$/.test(spec)
  const path = spec.replace(/^file:/, '')
  const wanted = isFile && !isAbsolute(path) ? fromWorkingFolder(path) : path
  await npm(
    ['install', '--ignore-scripts', '--save-exact', '--no-audit', '--no-fund', '--no-bin-links', '--', wanted],
    folder,
    env,
  )
  const packages = lockedPackages(await readFile(join(folder, 'package-lock.json'), 'utf8'))
  const [name] = Object.keys(packages['']?.dependencies ?? {})
  const own = name === undefined ? undefined : packages[`node_modules/${name}`]
  if (name === undefined || own === undefined) throw failed(`${spec} is not a package.`)
  // A package is entered by this file: only an import finds the form that its exports have for modules.
  await writeFile(join(folder, 'entry.mjs'), `export * from ${JSON.stringify(name)}\n`)
  const others = Object.entries(packages).filter(([key]) => key !== '')
  const version = own.version ?? '?'
  return {
    name,
    version,
    integrity: own.integrity ?? 'none',
    publisher: isFile ? null : await publisherOf(`${name}@${version}`, folder, env),
    dependencies: others.length - 1,
    scripts: others.filter(([, { hasInstallScript }]) => hasInstallScript === true).length,
  }
}

interface LockedPackage {
  readonly version?: string
  readonly integrity?: string
  readonly hasInstallScript?: boolean
  readonly dependencies?: object
}

/** Returns the packages of a lock file by their folder; the empty one is that of the file itself. */
function lockedPackages(text: string): Readonly<Record<string, LockedPackage>> {
  const lock: unknown = JSON.parse(text)
  const packages = typeof lock === 'object' && lock !== null && 'packages' in lock ? lock.packages : {}
  return isPackages(packages) ? packages : {}
}

function isPackages(value: unknown): value is Readonly<Record<string, LockedPackage>> {
  return typeof value === 'object' && value !== null && Object.values(value).every((entry) => typeof entry === 'object')
}

async function publisherOf(name: string, folder: string, env: Launch['env']): Promise<string | null> {
  const said = await npm(['view', name, '_npmUser', '--json'], folder, env).catch(() => '')
  if (said.trim() === '') return null
  const user: unknown = JSON.parse(said)
  const text = typeof user === 'object' && user !== null && 'name' in user ? user.name : user
  return typeof text === 'string' ? text.replace(/ <.*$/, '') : null
}

async function npm(words: readonly string[], cwd: string, env: Launch['env']): Promise<string> {
  const end = await runProgram({ argv: ['npm', ...words], cwd, env, timeLimitMs: npmMs, maxBytes })
  if (end.kind === 'ended' && end.exitCode === 0) return end.output.toString('utf8')
  const reason = end.kind === 'failed' ? end.reason : `it ended with ${end.exitCode}`
  if (reason.includes('ENOENT') && reason.includes('spawn npm'))
    throw failed('npm is not installed here. It comes with Node; packages are fetched with it.')
  throw failed(`npm could not fetch the package: ${reason}`)
}

function failed(message: string): ParleyError {
  return new ParleyError('providerNotAdded', exitCodes.turnFailed, message)
}

function describe({ name, version, publisher, dependencies, scripts, integrity }: Found): readonly string[] {
  const install = scripts === 0 ? 'no install scripts' : `install scripts of ${scripts}, which were not run`
  return [
    `package       ${name} ${version}`,
    `published by  ${publisher ?? 'not known'}`,
    `dependencies  ${dependencies}; ${install}`,
    `integrity     ${integrity}`,
    'It runs in a process of its own, which gets the key of its provider and the proxy variables, and reads no other files.',
  ]
}

async function isAgreed(): Promise<boolean> {
  const reader = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(?:es)?$/i.test((await reader.question('Install it? [y/N] ')).trim())
  } finally {
    reader.close()
  }
}

function nextSteps(name: string): readonly string[] {
  const id = name.split('/').at(-1) ?? name
  return [
    `${name} is installed. To use it, in config.toml:`,
    '',
    `[model_providers.${JSON.stringify(id)}]`,
    `package = ${JSON.stringify(name)}`,
    'env_key = "…"   # the variable that holds its key',
    '',
    `then: parley -c model_provider=${id} -m MODEL`,
  ]
}
