import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { shownLine } from '@parley/presentation/text/control-characters'
import { errorCode, packageFolder } from '@parley/text'
import { exitCodes, misused, ParleyError } from '../cli/exit-codes.ts'
import { fromWorkingFolder, homeFolder } from '../cli/folders.ts'
import { isAgreed } from '../cli/is-agreed.ts'
import type { Launch } from '../cli/launch-server.ts'
import { runProgram } from '../processes/run-program.ts'

/** Runs `parley provider add`: fetches a package without running any of its scripts, shows it, asks, and keeps it. */
export async function addProvider({ env }: Launch, spec: string, { yes }: { readonly yes?: boolean }): Promise<number> {
  if (yes !== true && !(process.stdin.isTTY && process.stderr.isTTY))
    throw misused('There is nobody to ask here. Look at the package first; --yes installs it without a question.')
  const folder = join(homeFolder(env), 'providers')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await removeLeftovers(folder)
  const fresh = await temporaryFolder(folder)
  try {
    const found = await fetchPackage(fresh, spec, env)
    process.stderr.write(`${describe(found).map(shownLine).join('\n')}\n`)
    if (yes !== true && !(await isAgreed('Install it?'))) {
      process.stderr.write('Not installed.\n')
      return exitCodes.ok
    }
    await putInPlace(fresh, join(folder, folderOf(found.name)))
    process.stdout.write(`${nextSteps(found.name).map(shownLine).join('\n')}\n`)
    return exitCodes.ok
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}

/** Makes a folder with this process in its name. No package has its name, because package names do not begin with a dot. */
function temporaryFolder(folder: string): Promise<string> {
  return mkdtemp(join(folder, `.new-${process.pid}-`))
}

/** Removes the folders of installations that were killed. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const [, pid] = /^\.new-(\d+)-/.exec(name) ?? []
    // The npm of a killed installation may still write there; the next installation removes that folder.
    if (pid !== undefined && !isRunning(Number(pid)))
      await rm(join(folder, name), { recursive: true, force: true }).catch(() => undefined)
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}

/** Parallel installations of the same package that one installation gives way to. */
const maxRivals = 20

/** Moves a package to its place, and removes the package that was there before. */
async function putInPlace(fresh: string, place: string): Promise<void> {
  const old = await temporaryFolder(join(place, '..'))
  try {
    for (let rivals = 0; ; rivals += 1) {
      await rename(place, join(old, String(rivals))).catch(unless('ENOENT'))
      const isPlaced = await rename(fresh, place).then(() => true, unless('ENOTEMPTY', 'EEXIST'))
      if (isPlaced === true || rivals === maxRivals) return
    }
  } finally {
    await rm(old, { recursive: true, force: true })
  }
}

function unless(...codes: readonly string[]): (error: unknown) => void {
  return (error) => {
    if (!codes.includes(errorCode(error) ?? '')) throw error
  }
}

export async function removeProvider({ env }: Launch, name: string): Promise<number> {
  const place = join(homeFolder(env), 'providers', folderOf(name))
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

function folderOf(name: string): string {
  const folder = packageFolder(name)
  if (folder === null) throw misused(`${name} is not the name of a package.`)
  return folder
}

function describe({ name, version, publisher, dependencies, scripts, integrity }: FetchedPackage): readonly string[] {
  const install = scripts === 0 ? 'no install scripts' : `install scripts of ${scripts}, which were not run`
  return [
    `package       ${name} ${version}`,
    `published by  ${publisher}`,
    `dependencies  ${dependencies}; ${install}`,
    `integrity     ${integrity}`,
    'It runs in a process of its own, which gets the key of its provider and the proxy variables, and reads no other files.',
  ]
}

function nextSteps(name: string): readonly string[] {
  const id = name.split('/').at(-1) ?? name
  return [
    `${name} is installed. To use it, in config.toml:`,
    '',
    `[model_providers.${JSON.stringify(id)}]`,
    `package = ${JSON.stringify(name)}`,
    'env_key = "…"   # the variable that holds its key',
    '# base_url = "https://…"   # its address, which some packages need',
    '',
    `then: parley -c model_provider=${id} -m MODEL`,
  ]
}

/** Package that was fetched and awaits the user's consent. */
interface FetchedPackage {
  readonly name: string
  readonly version: string
  readonly integrity: string
  /** Account that published it, or a sentence if the registry does not tell. */
  readonly publisher: string
  readonly dependencies: number
  /** Number of packages with install scripts; no script runs. */
  readonly scripts: number
}

const npmMs = 180_000
const maxBytes = 1024 * 1024

/**
 * Installs a package in a folder of its own, with exact versions and their checksums. Runs no script, and takes nothing
 * from repositories and addresses: no registry vouches for their checksums.
 */
export async function fetchPackage(folder: string, spec: string, env: Launch['env']): Promise<FetchedPackage> {
  const source = await sourceOf(spec)
  await writeFile(join(folder, 'package.json'), `${JSON.stringify({ name: 'parley-provider', private: true })}\n`)
  const silence = ['--no-audit', '--no-fund', '--loglevel=error']
  const limits = [
    '--ignore-scripts',
    '--allow-git=none',
    '--allow-remote=none',
    '--allow-directory=none',
    '--allow-file=root',
  ]
  const form = ['--save-exact', '--no-bin-links']
  await npm(['install', ...limits, ...form, ...silence, '--', source.wanted], folder, env)
  const packages = lockedPackages(await readFile(join(folder, 'package-lock.json'), 'utf8'))
  const [name] = Object.keys(packages['']?.dependencies ?? {})
  const own = name === undefined ? undefined : packages[`node_modules/${name}`]
  if (name === undefined || own === undefined) throw failed(`${spec} is not a package.`)
  // The import of a package starts at this file: only an import resolves its exports for modules.
  await writeFile(join(folder, 'entry.mjs'), `export * from ${JSON.stringify(name)}\n`)
  const others = Object.entries(packages).filter(([key]) => key !== '')
  await assertWhole(folder, packages)
  const version = own.version ?? '?'
  return {
    name,
    version,
    integrity: own.integrity ?? 'none',
    publisher: source.isFile ? 'not known: it is a file' : await publisherOf(`${name}@${version}`, folder, env),
    dependencies: others.length - 1,
    scripts: others.filter(([, { hasInstallScript }]) => hasInstallScript === true).length,
  }
}

/** Rejects packages without a checksum, and links: a process that may read its folder may read the target of a link, too. */
async function assertWhole(folder: string, packages: Readonly<Record<string, LockedPackage>>): Promise<void> {
  for (const [name, { integrity, inBundle = false }] of Object.entries(packages))
    if (name !== '' && integrity === undefined && !inBundle)
      throw failed(`${name} has no checksum, because it does not come from a registry. Nothing is installed.`)
  const link = (await readdir(folder, { recursive: true, withFileTypes: true })).find((file) => file.isSymbolicLink())
  if (link !== undefined)
    throw failed(`The package has a link (${link.name}), which may lead anywhere. Nothing is installed.`)
}

interface Source {
  /** Name or path as npm takes it. */
  readonly wanted: string
  readonly isFile: boolean
}

const packed = /\.(?:tgz|tar\.gz)$/
const fromRegistry = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*(?:@[\w.^~<>=*| +-]*)?$/i

/** Returns the source of a package: a packed file, else the registry. Rejects anything else with exit code 2. */
async function sourceOf(spec: string): Promise<Source> {
  const isPath = /^(?:\.{0,2}\/|file:)/.test(spec) || (packed.test(spec) && !/^[a-z+]+:/i.test(spec))
  if (!isPath) {
    if (fromRegistry.test(spec)) return { wanted: spec, isFile: false }
    throw misused(`${spec} is not a package: name one of the registry (NAME or NAME@VERSION), or a file of npm pack.`)
  }
  const path = spec.replace(/^file:/, '')
  const wanted = isAbsolute(path) ? path : fromWorkingFolder(path)
  const found = await stat(wanted).catch(() => null)
  if (found === null) throw misused(`There is no file ${wanted}.`)
  if (!found.isFile() || !packed.test(wanted))
    throw misused(`${wanted} is not a packed package: pack its folder with npm pack, and add the .tgz file.`)
  return { wanted, isFile: true }
}

interface LockedPackage {
  readonly version?: string
  readonly integrity?: string
  readonly hasInstallScript?: boolean
  readonly inBundle?: boolean
  readonly dependencies?: object
}

/** Returns the packages of a lock file by their folders; the empty folder is the package of the file itself. */
function lockedPackages(text: string): Readonly<Record<string, LockedPackage>> {
  const lock: unknown = JSON.parse(text)
  const packages = typeof lock === 'object' && lock !== null && 'packages' in lock ? lock.packages : {}
  return isPackages(packages) ? packages : {}
}

function isPackages(value: unknown): value is Readonly<Record<string, LockedPackage>> {
  return typeof value === 'object' && value !== null && Object.values(value).every((entry) => typeof entry === 'object')
}

/** Resolves to the account that published a version; most registries besides npm's own do not tell. */
async function publisherOf(version: string, folder: string, env: Launch['env']): Promise<string> {
  const said = await npm(['view', version, '_npmUser', '--json', '--loglevel=error'], folder, env).catch(() => '')
  const [, name] = /^"([^"<]+)|"name": *"([^"<]+)/.exec(said.trim())?.filter((text) => text !== undefined) ?? []
  return name?.trim() ?? 'not known: the registry does not say'
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
