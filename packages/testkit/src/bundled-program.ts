import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const bundler = fileURLToPath(new URL('../../../scripts/bundle/test-program.mjs', import.meta.url))

/** Bundles a program from its sources as they are now, unless that is done, and returns its path. */
export function bundledProgram(source: string): string {
  return execFileSync(process.execPath, [bundler, source], { encoding: 'utf8' }).trim()
}
