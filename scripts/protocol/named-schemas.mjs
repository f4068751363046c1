import * as access from '../../packages/protocol/src/schema/access.ts'
import * as answer from '../../packages/protocol/src/schema/answer.ts'
import * as approval from '../../packages/protocol/src/schema/approval.ts'
import * as cursor from '../../packages/protocol/src/schema/cursor.ts'
import * as diagnostics from '../../packages/protocol/src/schema/diagnostics.ts'
import * as event from '../../packages/protocol/src/schema/event.ts'
import * as input from '../../packages/protocol/src/schema/input.ts'
import * as item from '../../packages/protocol/src/schema/item.ts'
import * as listed from '../../packages/protocol/src/schema/listed-conversation.ts'
import * as method from '../../packages/protocol/src/schema/method.ts'
import * as params from '../../packages/protocol/src/schema/params.ts'
import * as settings from '../../packages/protocol/src/schema/settings.ts'
import * as state from '../../packages/protocol/src/schema/state.ts'
import * as usage from '../../packages/protocol/src/schema/usage.ts'

/** Where the name of the constant would say too little in a list of all types. */
const renamed = { decision: 'ApprovalDecision', byId: 'OneConversation' }

/** Schema → its name: each that a schema file exports, each event and item, and each method's own two. */
export function namedSchemas() {
  const modules = [
    access,
    answer,
    approval,
    cursor,
    diagnostics,
    event,
    input,
    item,
    listed,
    method,
    params,
    settings,
    state,
    usage,
  ]
  const exported = modules.flatMap(Object.entries).filter(([, value]) => isSchema(value))
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
