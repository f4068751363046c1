import { type ConversationEvent, type OpenForm, type RedactionExceptions, redactionTable } from '@parley/protocol'
import { parseJson } from '@parley/text'

type RedactText = (text: string) => string

/**
 * Returns an event with marks in place of secrets; the same event without secrets. Redacts every text, except fields
 * that the schema of the event marks.
 */
export function redactEvent(event: ConversationEvent, redact: RedactText): ConversationEvent {
  return redactBy(treeOf(event.type), event, redact) as ConversationEvent // narrowed: only texts change, and stay texts
}

/** Redacts a response of a model in the provider's own form. Returns the same value where nothing changes. */
export function redactParts<Value>(parts: Value, redact: RedactText): Value {
  const form = redactionTable['model.responded'].open?.['parts']
  return redactOpen(form ?? nothingOpen, '', parts, redact) as Value // narrowed: only texts change, and stay texts
}

/** Redacts JSON text. If a mark would replace half of an escape, redacts the strings in it one by one. */
export function redactJson(text: string, redact: RedactText): string {
  const redacted = redact(text)
  if (redacted === text || parseJson(redacted) !== undefined) return redacted
  const value = parseJson(text)
  return value === undefined ? redacted : JSON.stringify(redactBy(undefined, value, redact))
}

/** Exceptions by path as a tree. A field outside the tree is redacted, with all fields below it. */
type Tree = Map<string, Tree> | 'leave' | 'json' | OpenForm

const nothingOpen: OpenForm = { leave: [], json: [] }
const trees = new Map<string, Tree>()

/** Returns the tree of a type of event, made when the first such event is recorded. */
function treeOf(type: ConversationEvent['type']): Tree {
  const known = trees.get(type)
  if (known !== undefined) return known
  // An event of a newer program is redacted whole, except for its type.
  const tree = makeTree(Object.hasOwn(redactionTable, type) ? redactionTable[type] : { leave: ['type'] })
  trees.set(type, tree)
  return tree
}

function makeTree({ leave, json = [], open = {} }: RedactionExceptions): Tree {
  const root = new Map<string, Tree>()
  for (const path of leave) place(root, path.split('.'), 'leave')
  for (const path of json) place(root, path.split('.'), 'json')
  for (const [path, form] of Object.entries(open)) place(root, path.split('.'), form)
  return root
}

function place(tree: Map<string, Tree>, [key = '', ...below]: readonly string[], exception: Tree): void {
  if (below.length === 0) {
    tree.set(key, exception)
    return
  }
  const known = tree.get(key)
  const inner = known instanceof Map ? known : new Map<string, Tree>()
  tree.set(key, inner)
  place(inner, below, exception)
}

function redactBy(tree: Tree | undefined, value: unknown, redact: RedactText): unknown {
  if (tree === 'leave') return value
  if (typeof value === 'string') return tree === 'json' ? redactJson(value, redact) : redact(value)
  if (typeof value !== 'object' || value === null) return value
  if (tree !== undefined && tree !== 'json' && !(tree instanceof Map)) return redactOpen(tree, '', value, redact)
  const fields = tree instanceof Map ? tree : undefined
  return replaced(value, (inner, key) => redactBy(key === null ? tree : fields?.get(key), inner, redact))
}

function redactOpen(form: OpenForm, key: string, value: unknown, redact: RedactText): unknown {
  if (form.leave.includes(key)) return value
  if (typeof value === 'string') return form.json.includes(key) ? redactJson(value, redact) : redact(value)
  if (typeof value !== 'object' || value === null) return value
  return replaced(value, (inner, name) => redactOpen(form, name ?? key, inner, redact))
}

/** Replaces the members of an object, or of a list (with null as key). Returns the same value if no member changes. */
function replaced(value: object, replace: (inner: unknown, key: string | null) => unknown): object {
  if (Array.isArray(value)) {
    const list = value.map((one: unknown) => replace(one, null))
    return list.every((one, index) => one === value[index]) ? value : list
  }
  const fields = value as Readonly<Record<string, unknown>> // narrowed: an object that is no list
  let changed: Record<string, unknown> | null = null
  for (const key of Object.keys(fields)) {
    const redacted = replace(fields[key], key)
    if (redacted === fields[key]) continue
    changed ??= { ...fields }
    changed[key] = redacted
  }
  return changed ?? value
}
