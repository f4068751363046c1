import {
  fieldsOf,
  firstRefusal,
  halfAt,
  isImage,
  type JsonFields,
  listOf,
  type ObjectAt,
  type ProviderRule,
  textOf,
} from './provider-rule.ts'

const claudeCode = (issue: number) => `https://github.com/anthropics/claude-code/issues/${issue}`

/** Rules of the Messages API of Anthropic. */
export const anthropicRules: readonly ProviderRule[] = [
  {
    source: claudeCode(3277),
    date: '2025-07-10',
    refusal: 'The request body is not valid JSON: no low surrogate in string: line 1 column 217026 (char 217025)',
    refuse({ text }) {
      const at = halfAt(text)
      const where = `line 1 column ${at + 1} (char ${at})`
      return at === -1 ? null : `The request body is not valid JSON: no low surrogate in string: ${where}`
    },
  },
  {
    source: 'https://github.com/apify/tester-mcp-client/issues/11',
    date: '2025-03-07',
    // The API takes 128 characters since (https://github.com/BerriAI/litellm/pull/26788, 2026-05-05).
    refusal: "tools.7.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'",
    refuse: ({ body }) =>
      firstRefusal([...toolsOf(body), ...blocksOf(body, 'tool_use')], ({ at, value }) =>
        /^[\w-]{1,128}$/.test(textOf(value['name']))
          ? null
          : `${at}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`,
      ),
  },
  {
    source: 'https://github.com/tailcallhq/forgecode/issues/892',
    date: '2025-06-03',
    refusal: 'tools: Tool names must be unique.',
    refuse({ body }) {
      const names = toolsOf(body).map(({ value }) => value['name'])
      return new Set(names).size === names.length ? null : 'tools: Tool names must be unique.'
    },
  },
  {
    source: claudeCode(5319),
    date: '2025-08-07',
    refusal: 'tools.106.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level',
    refuse: ({ body }) =>
      firstRefusal(toolsOf(body), ({ at, value }) =>
        ['oneOf', 'allOf', 'anyOf'].some((keyword) => keyword in fieldsOf(value['input_schema']))
          ? `${at}.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`
          : null,
      ),
  },
  {
    source: 'https://github.com/beautyfree/appstore-connect-mcp/issues/2',
    date: '2026-04-13',
    refusal: "tools.14.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
    refuse: ({ body }) =>
      firstRefusal(toolsOf(body), ({ at, value }) =>
        Object.keys(fieldsOf(fieldsOf(value['input_schema'])['properties'])).every((key) => /^[\w.-]{1,64}$/.test(key))
          ? null
          : `${at}.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'`,
      ),
  },
  {
    source: 'https://github.com/tailcallhq/forgecode/issues/1142',
    date: '2025-07-20',
    refusal: "messages.5.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    refuse: ({ body }) =>
      firstRefusal(blocksOf(body, 'tool_use'), ({ at, value }) =>
        /^[\w-]+$/.test(textOf(value['id'])) ? null : `${at}.id: String should match pattern '^[a-zA-Z0-9_-]+$'`,
      ),
  },
  {
    source: claudeCode(5989),
    date: '2025-08-17',
    refusal:
      'messages.22: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01HqfLWiAKQLsniF2fBGF2KD, toolu_01SJzDkeAZER935cpGFptTNk. Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
    refuse({ body }) {
      const messages = listOf(body['messages'])
      return firstRefusal(placedMessages(body), ({ at, value }) => {
        const next = new Set(idsOf(messages[Number(at.split('.')[1]) + 1] ?? {}, 'tool_result', 'tool_use_id'))
        const open = idsOf(value, 'tool_use', 'id').filter((id) => !next.has(id))
        return open.length === 0
          ? null
          : `${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`
      })
    },
  },
  {
    source: 'https://github.com/decocms/studio/issues/1803',
    date: '2025-11-07',
    refusal:
      'messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_015cqXRmSf7tsfMgJ9ibV1z3. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
    refuse({ body }) {
      const messages = listOf(body['messages'])
      return firstRefusal(placedMessages(body), ({ at, value }) => {
        const made = new Set(idsOf(messages[Number(at.split('.')[1]) - 1] ?? {}, 'tool_use', 'id'))
        const index = contentOf(value).findIndex(
          (block) => block['type'] === 'tool_result' && !made.has(block['tool_use_id']),
        )
        const id = contentOf(value)[index]?.['tool_use_id']
        return index === -1
          ? null
          : `${at}.content.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`
      })
    },
  },
  {
    source: claudeCode(59812),
    date: '2026-05-16',
    refusal: 'messages: text content blocks must be non-empty',
    refuse: ({ body }) =>
      blocksOf(body, 'text').some(({ value }) => value['text'] === '')
        ? 'messages: text content blocks must be non-empty'
        : null,
  },
  {
    source: claudeCode(23369),
    date: '2026-02-05',
    refusal: 'messages: text content blocks must contain non-whitespace text',
    refuse: ({ body }) =>
      blocksOf(body, 'text').some(({ value }) => textOf(value['text']).trim() === '')
        ? 'messages: text content blocks must contain non-whitespace text'
        : null,
  },
  {
    source: claudeCode(8646),
    date: '2025-10-01',
    refusal: 'Could not process image',
    refuse: ({ body }) =>
      blocksOf(body, 'image').every(({ value }) => {
        const source = fieldsOf(value['source'])
        return isImage(textOf(source['data']), textOf(source['media_type']))
      })
        ? null
        : 'Could not process image',
  },
  {
    source: 'https://github.com/router-for-me/CLIProxyAPI/issues/5321',
    date: '2026-08-28',
    refusal: 'messages.N: The final block in an assistant message cannot be `thinking`.',
    refuse({ body }) {
      const last = placedMessages(body).at(-1)
      const block = last?.value['role'] === 'assistant' ? contentOf(last.value).at(-1) : undefined
      return /thinking$/.test(textOf(block?.['type']))
        ? `${last?.at}: The final block in an assistant message cannot be \`thinking\`.`
        : null
    },
  },
]

function toolsOf(body: JsonFields): readonly ObjectAt[] {
  return listOf(body['tools']).map((value, index) => ({ at: `tools.${index}.custom`, value }))
}

function placedMessages(body: JsonFields): readonly ObjectAt[] {
  return listOf(body['messages']).map((value, index) => ({ at: `messages.${index}`, value }))
}

function contentOf({ content }: JsonFields): readonly JsonFields[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)
}

/** Returns the blocks of a type, also from inside tool results. */
function blocksOf(body: JsonFields, type: string): readonly ObjectAt[] {
  return placedMessages(body).flatMap(({ at, value }) =>
    contentOf(value).flatMap((block, index) =>
      [block, ...listOf(block['content'])].flatMap((found) =>
        found['type'] === type ? [{ at: `${at}.content.${index}.${type}`, value: found }] : [],
      ),
    ),
  )
}

function idsOf(message: JsonFields, type: string, key: string): readonly unknown[] {
  return contentOf(message).flatMap((block) => (block['type'] === type ? [block[key]] : []))
}
