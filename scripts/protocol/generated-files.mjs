import { readFileSync } from 'node:fs'
import { architecturePage } from '../layering/package-picture.ts'
import { reliabilityPage } from '../reliability/fault-section.mjs'
import { scriptingPage } from '../scripting/events-page.mjs'
import { terminalPage } from '../terminal/key-section.mjs'
import { eventShapesText } from './event-shapes.mjs'
import { protocolSchema } from './json-schema.mjs'
import { redactionTableText } from './redaction-table.mjs'
import { fillReference } from './reference.mjs'

/** Returns path → text of all generated files; the same for the same sources, on any machine. */
export function generatedFiles() {
  const schema = protocolSchema()
  const template = readFileSync(new URL('reference.md', import.meta.url), 'utf8')
  return new Map([
    ['docs/protocol/schema.json', `${JSON.stringify(schema, null, 2)}\n`],
    ['docs/protocol/README.md', fillReference(template, schema)],
    ['docs/scripting-events.md', scriptingPage(schema)],
    ['packages/protocol/src/redaction-table.ts', redactionTableText()],
    ['packages/protocol/src/event-shapes.ts', eventShapesText()],
    ['docs/terminal.md', terminalPage()],
    ['docs/reliability.md', reliabilityPage()],
    ['ARCHITECTURE.md', architecturePage()],
  ])
}
