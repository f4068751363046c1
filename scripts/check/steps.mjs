import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../bundle/places.mjs'

const tool = (name) => join(root, 'node_modules/.bin', name)
const script = (name) => join(root, 'scripts', name)

/** The checks before the tests: name and command. */
export function steps() {
  const generator = script('generate-protocol.mjs')
  return [
    // pnpm's own install before a script only warns when manifests and lockfile disagree, and keeps to what a start of
    // `./parley` has fetched, which is without the foreign programs.
    { name: 'dependencies as locked', command: ['pnpm', 'install', '--frozen-lockfile', '--prefer-offline'] },
    { name: 'format and lint', command: [tool('biome'), 'check', '--max-diagnostics=50', '.'] },
    { name: 'unused code', command: [tool('knip'), '--no-progress', '--no-config-hints'] },
    { name: 'types', command: [tool('turbo'), 'run', 'build', '--output-logs=errors-only'] },
    { name: 'types of scripts', command: [tool('tsc'), '-b', 'scripts'] },
    ...(existsSync(generator)
      ? [{ name: 'generated protocol', command: [process.execPath, generator, '--check'] }]
      : []),
    { name: 'bundle', command: [process.execPath, script('build.mjs')] },
  ]
}
