/** Server-sent events of the Responses wire, as a provider would send them. */

const event = (type, fields) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`

const usage = {
  input_tokens: 1000,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 100,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 1100,
}

export function textStart(id) {
  return (
    event('response.created', { response: { id, status: 'in_progress', output: [] } }) +
    event('response.output_item.added', { output_index: 0, item: messageItem(id, 'in_progress', []) }) +
    event('response.content_part.added', { ...partOf(id), part: { type: 'output_text', text: '', annotations: [] } })
  )
}

export const textDelta = (id, delta) => event('response.output_text.delta', { ...partOf(id), delta })

export function textEnd(id, text) {
  const part = { type: 'output_text', text, annotations: [] }
  const item = messageItem(id, 'completed', [part])
  return (
    event('response.output_text.done', { ...partOf(id), text }) +
    event('response.content_part.done', { ...partOf(id), part }) +
    event('response.output_item.done', { output_index: 0, item }) +
    event('response.completed', { response: { id, status: 'completed', output: [item], usage } })
  )
}

export function wholeCall(id, name, input) {
  const item = { type: 'function_call', id: `fc_${id}`, call_id: `call_${id}`, name, arguments: JSON.stringify(input) }
  const place = { item_id: item.id, output_index: 0 }
  return (
    event('response.created', { response: { id, status: 'in_progress', output: [] } }) +
    event('response.output_item.added', { output_index: 0, item: { ...item, arguments: '', status: 'in_progress' } }) +
    event('response.function_call_arguments.delta', { ...place, delta: item.arguments }) +
    event('response.function_call_arguments.done', { ...place, arguments: item.arguments }) +
    event('response.output_item.done', { output_index: 0, item: { ...item, status: 'completed' } }) +
    event('response.completed', { response: { id, status: 'completed', output: [item], usage } })
  )
}

function messageItem(id, status, content) {
  return { type: 'message', id: `msg_${id}`, status, role: 'assistant', content }
}

function partOf(id) {
  return { item_id: `msg_${id}`, output_index: 0, content_index: 0 }
}
