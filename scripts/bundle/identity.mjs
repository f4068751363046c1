import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './places.mjs'

export function programVersion() {
  return JSON.parse(readFileSync(join(root, 'apps/tui/package.json'), 'utf8')).version
}

/** Returns the id of the sources: the same sources give the same id on every machine. */
export function buildId() {
  const hash = createHash('sha256')
  const patterns = ['packages/*/src/**/*.ts', 'apps/*/src/**/*.{ts,tsx}', 'scripts/bundle/*.mjs']
  const files = globSync([...patterns, 'scripts/build.mjs', 'pnpm-lock.yaml'], { cwd: root }).sort()
  for (const file of files)
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0')
  return hash.digest('hex').slice(0, 12)
}
