import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { shownLine } from '@parley/presentation/text/control-characters'
import { joinShellWords } from '@parley/text'
import { exitCodes } from '../../cli/exit-codes.ts'
import type { Launch } from '../../cli/launch-server.ts'

/** Folder of this copy of the program, and how it was installed. */
export interface Installation {
  /** `global`, `local`: by npm from a package; `npx`: in the cache of npm; `unpacked`: a package without npm. */
  readonly kind: 'checkout' | 'global' | 'local' | 'npx' | 'unpacked'
  readonly folder: string
}

/** Runs `parley update`: prints how this copy was installed and how to get a newer one. Sends nothing and changes nothing. */
export function runUpdate({ program }: Pick<Launch, 'program'>, { json }: { readonly json?: boolean }): number {
  const { version, build, moduleUrl } = program
  const installation = installationOf(moduleUrl)
  const facts = { version, build, node: process.version, ...installation, update: updateAdvice(installation) }
  const lines = [
    `parley ${version} (${build}), on Node ${process.version}: ${installationWords(installation)}.`,
    `To update: ${facts.update}`,
    'parley asks no registry for newer versions: a package named parley there is not this one.',
  ]
  process.stdout.write(json === true ? `${JSON.stringify(facts)}\n` : `${lines.map(shownLine).join('\n')}\n`)
  return exitCodes.ok
}

/** Finds out how the program was installed from the path of its main file. */
export function installationOf(moduleUrl: string): Installation {
  const dist = dirname(realpathSync(fileURLToPath(moduleUrl)))
  const above = dirname(dist)
  const root = join(above, '..', '..')
  if (basename(above) === 'tui' && existsSync(join(root, 'pnpm-lock.yaml'))) return { kind: 'checkout', folder: root }
  return { kind: kindOfPackage(above), folder: above }
}

function kindOfPackage(folder: string): Installation['kind'] {
  const modules = dirname(folder)
  if (basename(modules) !== 'node_modules') return 'unpacked'
  if (modules.includes('/_npx/')) return 'npx'
  return basename(dirname(modules)) === 'lib' ? 'global' : 'local'
}

type KindWords = Readonly<Record<Installation['kind'], string>>

const kindWords: KindWords = {
  checkout: 'a checkout',
  global: 'a package that npm installed',
  local: 'a package that npm installed in a project',
  npx: 'a package that npx ran',
  unpacked: 'an unpacked package',
}

export function installationWords({ kind, folder }: Installation): string {
  return `${kindWords[kind]}, in ${folder}`
}

/** Returns words for the way to a newer version. */
export function updateAdvice({ kind, folder }: Installation): string {
  const newPackage = 'make a newer package from a checkout (npm run package -- FOLDER)'
  const advice: KindWords = {
    checkout: `${joinShellWords(['git', '-C', folder, 'pull'])}; the next start builds what is new.`,
    global: `${newPackage}, then: npm install -g FILE`,
    local: `${newPackage}, then, in the project: npm install FILE`,
    npx: `${newPackage}, then: npx FILE`,
    unpacked: `${newPackage}, and unpack it in place of ${folder}.`,
  }
  return advice[kind]
}

/** Returns the shell command that removes the program itself; parley leaves that to the user. */
export function removalAdvice({ kind, folder }: Installation): string {
  switch (kind) {
    case 'global':
      return 'npm uninstall -g parley'
    case 'local':
      return joinShellWords(['npm', 'uninstall', '--prefix', dirname(dirname(folder)), 'parley'])
    case 'npx':
      return joinShellWords(['rm', '-rf', dirname(dirname(folder))])
    case 'checkout':
    case 'unpacked':
      return joinShellWords(['rm', '-rf', folder])
  }
}
