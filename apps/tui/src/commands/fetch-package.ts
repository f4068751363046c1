import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { exitCodes, misused, ParleyError } from '../cli/exit-codes.ts'
import { fromWorkingFolder } from '../cli/folders.ts'
import type { Launch } from '../cli/launch-server.ts'
import { runProgram } from '../processes/run-program.ts'

/** Package that was fetched and awaits the user's consent. */
export interface FetchedPackage {
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
