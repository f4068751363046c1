// Writes docs/protocol/schema.json and docs/protocol/README.md from the zod schemas of packages/protocol.
// With --check it writes nothing, says what drifted and exits with 1.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root } from './bundle/places.mjs'
import { driftOf } from './protocol/drift.mjs'
import { generatedFiles } from './protocol/generated-files.mjs'

const folder = join(root, 'docs/protocol')
const files = generatedFiles()

if (process.argv.includes('--check')) {
  const drifted = driftOf(files, folder)
  for (const { name, problem } of drifted) console.error(`${relative(root, join(folder, name))}: ${problem}`)
  if (drifted.length > 0) console.error('Run `npm run generate` and commit what it writes.')
  process.exitCode = drifted.length === 0 ? 0 : 1
} else {
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of files) writeFileSync(join(folder, name), text)
}
