import * as approval from '../../packages/protocol/src/schema/approval.ts'
import * as callParts from '../../packages/protocol/src/schema/call-parts.ts'
import * as event from '../../packages/protocol/src/schema/event.ts'
import * as eventParts from '../../packages/protocol/src/schema/event-parts.ts'
import * as input from '../../packages/protocol/src/schema/input.ts'
import * as item from '../../packages/protocol/src/schema/item.ts'
import * as login from '../../packages/protocol/src/schema/methods/login-methods.ts'
import * as method from '../../packages/protocol/src/schema/methods/methods.ts'
import * as params from '../../packages/protocol/src/schema/params/params.ts'
import * as scripted from '../../packages/protocol/src/schema/scripted.ts'
import * as settings from '../../packages/protocol/src/schema/settings.ts'
import * as state from '../../packages/protocol/src/schema/state.ts'
import * as summaries from '../../packages/protocol/src/schema/summaries.ts'

/** Names of types with a constant that is named too briefly for a list of all types. */
const renamed = { decision: 'ApprovalDecision', byId: 'OneConversation' }

/** Schemas described in place: a reference and a path are one line of text, facts are any map. */
const inline = new Set([input.sideFile, callParts.storedFacts, settings.path])

/** Returns schema → name: exports of schema files, events, items, and params and result of each method. */
export function namedSchemas() {
  const modules = [
    approval,
    callParts,
    event,
    eventParts,
    input,
    item,
    login,
    method,
    params,
    scripted,
    settings,
    state,
    summaries,
  ]
  const exported = modules.flatMap(Object.entries).filter(([, value]) => isSchema(value) && !inline.has(value))
  const names = new Map(exported.map(([name, schema]) => [schema, renamed[name] ?? pascalCase(name)]))
  const own = [
    ...event.conversationEvent.options.map((option) => [option, `${pascalCase(option.shape.type.value)}Event`]),
    ...item.item.options.map((option) => [option, `${pascalCase(option.shape.type.value)}Item`]),
    ...Object.entries(method.methods).flatMap(([name, { params, result }]) => [
      [params, `${pascalCase(name)}Params`],
      [result, `${pascalCase(name)}Result`],
    ]),
  ]
  for (const [schema, name] of own) if (!names.has(schema)) names.set(schema, name)
  return names
}

export function pascalCase(name) {
  const words = name.split(/[./]/)
  return words.map((word) => word[0].toUpperCase() + word.slice(1)).join('')
}

function isSchema(value) {
  return typeof value === 'object' && value !== null && '_zod' in value
}
