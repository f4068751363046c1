// An MCP server that answers what its first argument, a JSON object, says.
//   before: text before the first line
//   initialize: fields of that answer in place of the usual ones
//   resources: results of resources/list in the same way
//   pages: results of tools/list by cursor ("" for none); a text is the message of an error
//   calls: answers to tools/call by tool, whole messages without id; what is not here echoes its arguments

import { createInterface } from 'node:readline'

const { before = '', initialize = {}, pages = {}, resources = {}, calls = {} } = JSON.parse(process.argv[2] ?? '{}')
let isFirst = true

function say(message) {
  process.stdout.write(`${isFirst ? before : ''}${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  isFirst = false
}

function pageOf(page) {
  return typeof page === 'string' ? { error: { code: -32602, message: page } } : { result: page }
}

const methods = {
  initialize: ({ protocolVersion }) => ({
    result: {
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'listing', version: '1' },
      ...initialize,
    },
  }),
  'tools/list': ({ cursor = '' }) => pageOf(pages[cursor] ?? { tools: [] }),
  'resources/list': ({ cursor = '' }) => pageOf(resources[cursor] ?? { resources: [] }),
  'tools/call': ({ name, arguments: args }) =>
    calls[name] ?? { result: { content: [{ type: 'text', text: JSON.stringify(args) }] } },
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line)
  if (id !== undefined) say({ id, ...(methods[method]?.(params) ?? { result: {} }) })
})
