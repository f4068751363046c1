import { isRecord, wellFormedJson, wholeEscapes } from '@parley/text'
import type { ModelEntry, ResponseEntry, ResultEntry, UserPart } from '../../port/model-client.ts'
import { joinElements, writeElements } from '../json.ts'
import { dataUrl } from '../openai-api.ts'
import { createEntryWriter } from '../write-entries.ts'
import { createWrittenNames, shortForm, type WrittenNames } from '../written-forms.ts'

/** Tests if a response goes back in its own items. */
type GoesBack = (response: ResponseEntry) => boolean

/** State between entries. */
interface OpenItems {
  /** Ids of the calls that go back as calls of a freeform tool; their results have a type of their own then. */
  readonly freeform: Set<string>
  readonly names: WrittenNames
  /** Reasoning at the end of the last response: the API takes it only with the model's output behind it. */
  readonly held: unknown[]
}

/** Names that the API takes. */
const acceptedNames = /^[\w-]{1,64}$/

export function createItemWriter(goesBack: GoesBack) {
  return createEntryWriter<OpenItems>({
    begin: () => ({ freeform: new Set(), names: createWrittenNames(acceptedNames), held: [] }),
    settle(open, entry) {
      const held = open.held.splice(0)
      if (entry.kind !== 'response') return inputItem(entry, open)
      noteFreeform(open, entry, goesBack)
      if (!goesBack(entry)) return writeElements(neutralItems(entry, open))
      const items = entry.parts.map((item) => ownItem(item, open))
      const behind = items.findLastIndex((item) => !isReasoning(item)) + 1
      for (const item of [...(behind === 0 ? held : []), ...items.slice(behind)]) open.held.push(item)
      return behind === 0 ? '' : joinElements([writeElements(held), writeElements(items.slice(0, behind))])
    },
    rest: () => '',
  })
}

/** Tells the items that only a model that reasons takes; other items of its answer cannot stand without them. */
export function isReasoning(item: unknown): boolean {
  return isRecord(item) && item['type'] === 'reasoning'
}

function noteFreeform({ freeform }: OpenItems, response: ResponseEntry, goesBack: GoesBack): void {
  const parts = goesBack(response) ? response.parts : []
  const ids = parts.flatMap((part) => (isRecord(part) && part['type'] === 'custom_tool_call' ? [part['call_id']] : []))
  for (const { callId } of response.calls) {
    if (ids.includes(callId)) freeform.add(callId)
    else freeform.delete(callId)
  }
}

function inputItem(entry: Exclude<ModelEntry, ResponseEntry>, { freeform }: OpenItems): string {
  if (entry.kind === 'user')
    return wellFormedJson({ type: 'message', role: 'user', content: entry.content.map(inputOf) })
  const type = freeform.has(entry.callId) ? 'custom_tool_call_output' : 'function_call_output'
  return wellFormedJson({ type, call_id: shortForm(entry.callId), output: outputOf(entry) })
}

/** Returns the output of a call: its text, followed by its images. */
function outputOf({ text, images = [] }: ResultEntry): string | readonly object[] {
  return images.length === 0 ? text : [{ type: 'text' as const, text }, ...images].map(inputOf)
}

function inputOf(part: UserPart): object {
  if (part.type === 'text') return { type: 'input_text', text: part.text }
  return { type: 'input_image', image_url: dataUrl(part) }
}

/** Returns an item as the provider gave it, without the values that the API does not take back. */
function ownItem(item: unknown, { names }: OpenItems): unknown {
  if (!isRecord(item)) return item
  if (isReasoning(item)) return Array.isArray(item['summary']) ? item : { ...item, summary: [] }
  if (item['type'] !== 'function_call' && item['type'] !== 'custom_tool_call') return item
  const { call_id: id, name, arguments: args } = item
  const written = {
    ...(typeof id === 'string' ? { call_id: shortForm(id) } : {}),
    ...(typeof name === 'string' ? { name: names.own(name) } : {}),
    ...(typeof args === 'string' ? { arguments: wholeEscapes(args) } : {}),
  }
  return Object.entries(written).every(([key, value]) => item[key] === value) ? item : { ...item, ...written }
}

function neutralItems({ text, calls }: ResponseEntry, { names }: OpenItems): readonly object[] {
  const message = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }
  const items = calls.map((call) => ({
    type: 'function_call',
    call_id: shortForm(call.callId),
    name: names.foreign(call.name),
    arguments: wholeEscapes(call.arguments),
  }))
  return text === '' ? items : [message, ...items]
}
