import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../bundle/places.mjs'

const tool = (name) => join(root, 'node_modules/.bin', name)
const script = (name) => join(root, 'scripts', name)

/**
 * Installs what the lockfile says, before everything else. The install that pnpm runs before a script only warns when
 * manifests and lockfile disagree, and leaves out the foreign programs, as `./parley` does.
 */
export const install = {
  name: 'dependencies as locked',
  command: ['pnpm', 'install', '--frozen-lockfile', '--prefer-offline'],
}

/** Lists the checks before the tests, as name and command. None needs the result of another; the longest come first. */
export function steps() {
  const generator = script('generate-protocol.mjs')
  return [
    { name: 'types', command: [tool('tsc'), '-b', ...twoCores, ...projects(), 'scripts'] },
    { name: 'format and lint', command: [tool('biome'), 'check', '--max-diagnostics=50', '.'] },
    { name: 'unused code', command: [tool('knip'), '--no-progress', '--no-config-hints'] },
    // It builds when a source is newer than the last build, as for users.
    { name: 'bundle', command: [join(root, 'parley'), '--help'] },
    ...(existsSync(generator)
      ? [{ name: 'generated protocol', command: [process.execPath, generator, '--check'] }]
      : []),
  ]
}

// Each checker of a project reads the libraries anew, which costs more than a second core saves.
const twoCores = ['--checkers', '1', '--builders', '2']

/** Lists the folders of all packages: one compiler builds them all and reads what they share once. */
const projects = () =>
  globSync('{packages,apps}/*/tsconfig.json', { cwd: root })
    .map((file) => file.slice(0, -'/tsconfig.json'.length))
    .sort()
