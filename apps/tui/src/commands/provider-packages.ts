import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { shownLine } from '@parley/presentation/text/control-characters'
import { errorCode, packageFolder } from '@parley/text'
import { exitCodes, misused } from '../cli/exit-codes.ts'
import { homeFolder } from '../cli/folders.ts'
import { isAgreed } from '../cli/is-agreed.ts'
import type { Launch } from '../cli/launch-server.ts'
import { type FetchedPackage, fetchPackage } from './fetch-package.ts'

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
