import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { joinShellWords } from '@parley/text'

/** Way in which this copy of the program came here, and its folder. */
export interface Installation {
  /** `global`, `local`: by npm from a package; `npx`: in the cache of npm; `unpacked`: from a package without npm. */
  readonly kind: 'checkout' | 'global' | 'local' | 'npx' | 'unpacked'
  readonly folder: string
}

/** Finds out how the program was installed from where its main file lies. */
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

/** Says where the copy lies and how it came there. */
export function originWords({ kind, folder }: Installation): string {
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

/** Says how a newer version is got. */
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

/** Says how the program itself is removed, as a shell takes it, which parley leaves to whoever brought it. */
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
