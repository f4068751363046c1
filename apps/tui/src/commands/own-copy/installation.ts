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

export function installationWords({ kind, folder }: Installation): string {
  switch (kind) {
    case 'checkout':
      return `a checkout, in ${folder}`
    case 'global':
      return `a package that npm installed, in ${folder}`
    case 'local':
      return `a package that npm installed in a project, in ${folder}`
    case 'npx':
      return `a package that npx ran, in ${folder}`
    case 'unpacked':
      return `an unpacked package, in ${folder}`
  }
}

/** Returns words for the way to a newer version. */
export function updateAdvice({ kind, folder }: Installation): string {
  switch (kind) {
    case 'checkout':
      return `${joinShellWords(['git', '-C', folder, 'pull'])}; the next start builds what is new.`
    case 'global':
      return 'make a newer package from a checkout (npm run package -- FOLDER), then: npm install -g FILE'
    case 'local':
      return 'make a newer package from a checkout (npm run package -- FOLDER), then, in the project: npm install FILE'
    case 'npx':
      return 'make a newer package from a checkout (npm run package -- FOLDER), then: npx FILE'
    case 'unpacked':
      return `make a newer package from a checkout (npm run package -- FOLDER), and unpack it in place of ${folder}.`
  }
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
