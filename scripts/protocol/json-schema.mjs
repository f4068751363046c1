import { methodRules } from '../../packages/protocol/src/access/method-rules.ts'
import { wireErrors } from '../../packages/protocol/src/errors.ts'
import { deliveredEnvelope } from '../../packages/protocol/src/schema/event.ts'
import { loginCompleted } from '../../packages/protocol/src/schema/methods/login-methods.ts'
import { methods, notifications } from '../../packages/protocol/src/schema/methods/methods.ts'
import { clientsChanged, listChanged, serverNotice } from '../../packages/protocol/src/schema/summaries.ts'
import { protocolVersions } from '../../packages/protocol/src/version.ts'
import { messageSchemas } from './message-schemas.mjs'
import { namedSchemas } from './named-schemas.mjs'

/** Returns the JSON Schema (2020-12) of any message on the wire, with every type under `$defs`. */
export function protocolSchema() {
  const names = namedSchemas()
  const described = describeMethods(names)
  const sent = describeNotifications(names)
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:parley:protocol:${protocolVersions.max}`,
    title: 'The parley protocol',
    description:
      'Any message on the wire. Within a protocol version objects may get more fields, and enumerations, events and items more kinds: validate what you send, be lenient with what you receive.',
    anyOf: ['ClientRequest', 'ClientNotification', 'ServerNotification', 'ResultReply', 'ErrorReply'].map(refTo),
    'x-protocolVersions': protocolVersions,
    'x-errors': wireErrors,
    'x-methods': described,
    'x-notifications': sent,
    $defs: sorted({ ...definitions(names), ...messageSchemas(described, sent) }),
  }
}

function describeMethods(names) {
  const entries = Object.entries(methods).map(([name, { about, params, result }]) => [
    name,
    {
      description: about,
      access: methodRules[name].access,
      params: refTo(names.get(params)),
      result: refTo(names.get(result)),
    },
  ])
  return Object.fromEntries(entries)
}

function describeNotifications(names) {
  const params = {
    'conversation/event': deliveredEnvelope,
    'conversation/clientsChanged': clientsChanged,
    'conversation/listChanged': listChanged,
    'server/notice': serverNotice,
    'login/completed': loginCompleted,
  }
  const entries = Object.entries(notifications).map(([name, about]) => {
    if (params[name] === undefined) throw new Error(`say in ${import.meta.url} which schema ${name} has`)
    return [name, { description: about, params: refTo(names.get(params[name])) }]
  })
  return Object.fromEntries(entries)
}

/** Returns the definitions, named through the metadata that zod asks for. */
function definitions(names) {
  const metadata = { get: (schema) => ({ ...schema.meta?.(), ...idOf(names, schema) }) }
  const defs = {}
  for (const [schema, name] of names) {
    const { $schema, $defs, $ref, ...own } = schema.toJSONSchema({ metadata, io: 'input' })
    const found = { ...$defs, ...($ref === undefined ? { [name]: own } : {}) }
    for (const [each, definition] of Object.entries(found)) defs[each] = tidied(definition)
  }
  return defs
}

function idOf(names, schema) {
  return names.has(schema) ? { id: names.get(schema) } : {}
}

const { MAX_SAFE_INTEGER, MIN_SAFE_INTEGER } = Number

/** Removes what zod adds to every integer and record, and the id that was only for naming. */
function tidied(schema) {
  if (Array.isArray(schema)) return schema.map(tidied)
  if (typeof schema !== 'object' || schema === null) return schema
  const kept = Object.entries(schema).filter(([key, value]) => !isNoise(key, value))
  return Object.fromEntries(
    kept.map(([key, value]) => [key, key === 'properties' ? tidiedFields(value) : tidied(value)]),
  )
}

/** Tidies each field; keys are names of fields, even when they look like keywords. */
function tidiedFields(properties) {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, tidied(schema)]))
}

function isNoise(key, value) {
  const isBound = (key === 'maximum' && value === MAX_SAFE_INTEGER) || (key === 'minimum' && value === MIN_SAFE_INTEGER)
  return isBound || key === 'id' || key === 'propertyNames'
}

function sorted(defs) {
  return Object.fromEntries(Object.entries(defs).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function refTo(name) {
  if (name === undefined) throw new Error('a schema in use has no name')
  return { $ref: `#/$defs/${name}` }
}
