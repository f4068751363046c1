import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../bundle/places.mjs'

const tool = (name) => join(root, 'node_modules/.bin', name)
const script = (name) => join(root, 'scripts', name)

/**
 * Installs the packages of the lockfile, before everything else. The install that pnpm runs before a script only warns
 * when manifests and lockfile disagree, and leaves out the foreign programs, as `./parley` does.
 */
export const install = {
  name: 'dependencies as locked',
  command: ['pnpm', 'install', '--frozen-lockfile', '--prefer-offline'],
}

/**
 * Lists the steps that tests need: declarations of the packages, because a test installs some packages, and the
 * programs.
 */
export function preparations() {
  return [
    { name: 'types', command: [tool('tsc'), '-b', ...twoCores, ...projects(), 'scripts'] },
    // It builds when a source is newer than the last build, as for users.
    { name: 'bundle', command: [join(root, 'parley'), '--help'] },
  ]
}

/** Lists the checks that read only sources and no built files: types can be checked at the same time. */
export function checks() {
  const generator = script('generate-protocol.mjs')
  return [
    { name: 'format and lint', command: [tool('biome'), 'check', '--max-diagnostics=50', '.'] },
    { name: 'unused code', command: [tool('knip'), '--no-progress', '--no-config-hints'] },
    ...(existsSync(generator)
      ? [
          {
            name: 'generated protocol',
            command: [process.execPath, '--conditions=@parley/source', generator, '--check'],
          },
        ]
      : []),
  ]
}

// Each checker of a project reads the libraries anew, which costs more than a second core saves.
const twoCores = ['--checkers', '1', '--builders', '2']

/** Lists the folders of all packages: one compiler builds them all and reads shared files once. */
const projects = () =>
  globSync('{packages,apps}/*/tsconfig.json', { cwd: root })
    .map((file) => file.slice(0, -'/tsconfig.json'.length))
    .sort()
