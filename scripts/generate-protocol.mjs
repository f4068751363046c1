// Writes the reference in docs/protocol, docs/scripting-events.md and the table for redaction from the zod schemas of
// packages/protocol, the keys and commands in docs/terminal.md from their tables in apps/tui, the faults in
// docs/reliability.md from their table here, and the picture of packages in ARCHITECTURE.md.
// With --check it writes nothing, says what drifted and exits with 1.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './bundle/places.mjs'
import { driftOf } from './protocol/drift.mjs'
import { generatedFiles } from './protocol/generated-files.mjs'

const files = generatedFiles()

if (process.argv.includes('--check')) {
  const drifted = driftOf(files, root)
  for (const { name, problem } of drifted) console.error(`${name}: ${problem}`)
  if (drifted.length > 0) console.error('Run `npm run generate` and commit what it writes.')
  process.exitCode = drifted.length === 0 ? 0 : 1
} else {
  for (const [name, text] of files) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
}
