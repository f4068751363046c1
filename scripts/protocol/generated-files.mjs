import { readFileSync } from 'node:fs'
import { protocolSchema } from './json-schema.mjs'
import { fillReference } from './reference.mjs'

/** Name → text of all that is generated; the same for the same sources, on any machine. */
export function generatedFiles() {
  const schema = protocolSchema()
  const template = readFileSync(new URL('reference.md', import.meta.url), 'utf8')
  return new Map([
    ['schema.json', `${JSON.stringify(schema, null, 2)}\n`],
    ['README.md', fillReference(template, schema)],
  ])
}
