import { readFileSync } from 'node:fs'
import { conversationEvent, deliveredEnvelope } from '../../packages/protocol/src/schema/event.ts'
import { inputLine, inputRejected, runEnded } from '../../packages/protocol/src/schema/scripted.ts'
import { fieldTable } from '../protocol/field-table.mjs'
import { nameOf } from '../protocol/type-text.mjs'
import { eventExamples, inputExamples, outputExamples } from './examples.mjs'

/** Returns the page about the lines of stdin and stdout, from the template, the schemas and the examples. */
export function scriptingPage(schema) {
  const template = readFileSync(new URL('events-page.md', import.meta.url), 'utf8')
  const { $defs } = schema
  const parts = {
    output: [$defs.InputRejected, $defs.RunEnded].map((one) => lineSection(one, outputExamples)).join('\n\n'),
    input: $defs.InputLine.oneOf.map((one) => lineSection(one, inputExamples)).join('\n\n'),
    envelope: linked(fieldTable($defs.DeliveredEnvelope)),
    envelopeExample: JSON.stringify(checked(deliveredEnvelope, envelopeExample)),
    events: eventSections($defs),
  }
  checkExamples()
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_whole, name) => parts[name])
}

const envelopeExample = {
  conversationId: '01a1…32d0',
  seq: 2,
  at: 1795235802841,
  event: eventExamples.find(({ type }) => type === 'turn.started'),
  crc: '44678252',
}

function lineSection(schema, examples) {
  const type = schema.properties.type.const
  const own = examples.filter((example) => example.type === type)
  return `#### \`${type}\`\n\n${schema.description}\n\n${fieldsOf(schema)}${jsonBlock(own)}`
}

function fieldsOf(schema) {
  const table = fieldTable(schema, { without: ['type'], ifEmpty: '' })
  return table === '' ? '' : `${linked(table)}\n\n`
}

function eventSections($defs) {
  const events = $defs.ConversationEvent.oneOf.map((option) => $defs[nameOf(option)])
  return events
    .map(({ properties, description }) => {
      const type = properties.type.const
      const anchor = type.replace('.', '').toLowerCase()
      const own = eventExamples.filter((example) => example.type === type)
      if (own.length === 0) throw new Error(`scripts/scripting/examples.mjs has no example of ${type}`)
      return `### [\`${type}\`](protocol/README.md#${anchor})\n\n${description}\n\n${jsonBlock(own)}`
    })
    .join('\n\n')
}

function jsonBlock(examples) {
  return `\`\`\`json\n${examples.map((example) => JSON.stringify(example)).join('\n')}\n\`\`\``
}

/** Makes links to types lead to the page of the protocol, which has them. */
function linked(table) {
  return table.replaceAll('](#', '](protocol/README.md#')
}

function checkExamples() {
  for (const example of eventExamples)
    checked(example.elided === true ? deliveredEnvelope.shape.event : conversationEvent, example)
  for (const example of inputExamples) checked(inputLine, example)
  for (const example of outputExamples) checked(example.type === 'run.ended' ? runEnded : inputRejected, example)
}

/** Returns the example. Throws if it does not fit its schema, or has a field that the schema does not have. */
function checked(schema, example) {
  const { data, error } = schema.safeParse(example)
  const isWhole = JSON.stringify(data)?.length === JSON.stringify(example).length
  if (isWhole) return example
  throw new Error(`${JSON.stringify(example)} does not fit: ${error?.message ?? 'a field is unknown'}`)
}
