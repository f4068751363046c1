import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { root } from '../bundle/places.mjs'
import { countResults } from './count-results.mjs'

/** One vitest run over all projects; its own report goes to the terminal, its counts come back. */
export async function runTests() {
  const folder = mkdtempSync(join(tmpdir(), 'parley-check-'))
  const outputFile = join(folder, 'results.json')
  const args = ['run', '--reporter=dot', '--reporter=json', `--outputFile.json=${outputFile}`]
  const child = spawn(join(root, 'node_modules/.bin/vitest'), args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [code] = await once(child, 'close')
  try {
    return countResults(readResults(outputFile), code, (file) => relative(root, file))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function readResults(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    // vitest ended before it could write its report.
    return undefined
  }
}
