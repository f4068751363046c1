import { initialState } from '../../packages/protocol/src/reduce/conversation.ts'
import { protocolVersions } from '../../packages/protocol/src/version.ts'
import { errorSection } from './error-section.mjs'
import { fieldTable } from './field-table.mjs'
import { pascalCase } from './named-schemas.mjs'
import { eventSection, itemSection, methodSection, notificationSection, typeSection } from './sections.mjs'
import { nameOf } from './type-text.mjs'

/** Returns the reference page: the hand-written template with every `{{name}}` filled from the schema. */
export function fillReference(template, schema) {
  const parts = {
    errors: errorSection(),
    methods: methodSection(schema),
    notifications: notificationSection(schema),
    envelope: fieldTable(schema.$defs.DeliveredEnvelope),
    events: eventSection(schema),
    items: itemSection(schema),
    state: typeSection(schema, stateTypes),
    types: typeSection(schema, otherTypes(schema)),
    version: String(protocolVersions.max),
    initialState: JSON.stringify(initialState('01a1…32d0'), null, 2),
  }
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_whole, name) => {
    if (parts[name] === undefined) throw new Error(`the template asks for {{${name}}}, which is not made`)
    return parts[name]
  })
}

const stateTypes = ['ConversationState', 'Core', 'OpenItem', 'CompletedItem', 'Turn', 'RequestResult', 'Cursor']
const unions = ['ConversationEvent', 'Item', 'DeliveredEnvelope']
const messages = [
  'ClientRequest',
  'ClientNotification',
  'ServerNotification',
  'ResultReply',
  'ErrorReply',
  'ErrorObject',
]
/** Types of the log only: clients get `DeliveredEnvelope`. */
const logOnly = ['Envelope']
/** Lines of `parley exec`, which have a page of their own. */
const scripted = ['InputLine', 'InputRejected', 'RunEnded']

/** Returns the types that no other section shows. */
function otherTypes({ $defs, 'x-methods': methods }) {
  const options = [...$defs.ConversationEvent.oneOf, ...$defs.Item.oneOf].map(nameOf)
  const ofMethods = Object.keys(methods).flatMap((name) => [`${pascalCase(name)}Params`, `${pascalCase(name)}Result`])
  const shown = new Set([
    ...stateTypes,
    ...unions,
    ...messages,
    ...logOnly,
    ...scripted,
    ...options,
    ...ofMethods,
    'OneConversation',
  ])
  return Object.keys($defs).filter((name) => !shown.has(name))
}
