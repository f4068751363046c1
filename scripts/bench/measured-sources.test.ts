import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../layering/sources.ts'

/** Arguments of node before the script, as `npm run bench` gives them. */
function benchFlags(): string[] {
  const { bench }: { bench: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts
  const [program, ...words] = bench.split(' ')
  expect(program).toBe('node')
  return words.slice(0, -1)
}

test('the bench measures sources of packages, built or not', () => {
  const resolve = ['--input-type=module', '-e', `process.stdout.write(import.meta.resolve('@parley/protocol'))`]
  const url = execFileSync(process.execPath, [...benchFlags(), ...resolve], { cwd: join(root, 'packages/journal') })
  expect(String(url)).toMatch(/\/packages\/protocol\/src\/index\.ts$/)
})
