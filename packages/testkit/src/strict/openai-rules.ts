import {
  fieldsOf,
  firstRefusal,
  halfAt,
  type JsonFields,
  listOf,
  type ObjectAt,
  type ProviderRule,
  textOf,
} from './provider-rule.ts'

/** Rules about tools, which the Chat Completions API and the Responses API have in common. */
function toolRules(toolsOf: (body: JsonFields) => readonly ObjectAt[]): readonly ProviderRule[] {
  return [
    {
      source: 'https://github.com/Upsonic/Upsonic/issues/176',
      date: '2024-06-19',
      refusal:
        "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 133 instead.",
      refuse({ body }) {
        const { length } = toolsOf(body)
        return length <= 128
          ? null
          : `Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length ${length} instead.`
      },
    },
    {
      source: 'https://github.com/browserbase/stagehand/issues/1159',
      date: '2025-10-22',
      refusal: `Invalid schema for function 'json': schema must be a JSON Schema of 'type: "object"', got 'type: "None"'.`,
      refuse: ({ body }) =>
        firstRefusal(schemasOf(toolsOf(body)), ({ at, value: { type = 'None' } }) =>
          type === 'object'
            ? null
            : `Invalid schema for function '${at}': schema must be a JSON Schema of 'type: "object"', got 'type: "${type}"'.`,
        ),
    },
    {
      source: 'https://github.com/nspady/google-calendar-mcp/issues/39',
      date: '2025-06-01',
      refusal:
        "Invalid schema for function 'update-event': schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.",
      refuse: ({ body }) =>
        firstRefusal(schemasOf(toolsOf(body)), ({ at, value }) =>
          ['oneOf', 'anyOf', 'allOf', 'enum', 'not'].some((keyword) => keyword in value)
            ? `Invalid schema for function '${at}': schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.`
            : null,
        ),
    },
    {
      source: 'https://github.com/yomorun/yomo/pull/860',
      date: '2024-07-17',
      refusal: "Invalid schema for function 'ai-sfn': None is not of type 'array'.",
      refuse: ({ body }) =>
        firstRefusal(schemasOf(toolsOf(body)), ({ at, value }) =>
          value['required'] === null ? `Invalid schema for function '${at}': None is not of type 'array'.` : null,
        ),
    },
  ]
}

/** Returns the schemas of tools, each at the name of its tool. */
function schemasOf(tools: readonly ObjectAt[]): readonly ObjectAt[] {
  return tools.flatMap(({ value }) =>
    'parameters' in value ? [{ at: textOf(value['name']), value: fieldsOf(value['parameters']) }] : [],
  )
}

/** Tells of a name in other characters than the API takes. */
function nameRefusal({ at, value }: ObjectAt): string | null {
  return /^[\w-]{1,64}$/.test(textOf(value['name']))
    ? null
    : `Invalid '${at}.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`
}

function surrogateRefusal(text: string, where: string): string | null {
  const at = halfAt(text)
  return at === -1
    ? null
    : `Failed to parse the request body as JSON: ${where}: lone leading surrogate in hex escape at line 1 column ${at}`
}

/** Rules of the Chat Completions API. */
export const chatRules: readonly ProviderRule[] = [
  {
    source: 'https://github.com/Zoo-Code-Org/Zoo-Code/issues/461',
    date: '2026-06-03',
    refusal:
      'Failed to parse the request body as JSON: messages[21].content: lone leading surrogate in hex escape at line 1 column 157800',
    refuse: ({ text }) => surrogateRefusal(text, 'messages[0].content'),
  },
  {
    source: 'https://github.com/hackers365/xiaozhi-esp32-server-golang/issues/268',
    date: '2026-05-24',
    refusal:
      "Invalid 'tools[1].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    // Of calls, too: https://github.com/mcp-use/mcp-use/issues/90.
    refuse: ({ body }) => firstRefusal([...chatTools(body), ...chatCalls(body)], nameRefusal),
  },
  ...toolRules(chatTools),
  {
    source: 'https://github.com/BerriAI/litellm/issues/10083',
    date: '2025-04-17',
    refusal:
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_DAZJkqyYW8JTJdkO76E5MoPH",
    refuse({ body }) {
      const open = chatRounds(body).flatMap(({ calls, results }) => calls.filter((id) => !results.includes(id)))
      return open.length === 0
        ? null
        : `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join(', ')}`
    },
  },
  {
    source: 'https://github.com/smarter-sh/smarter/issues/264',
    date: '2025-01-22',
    refusal:
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    refuse: ({ body }) =>
      chatRounds(body).some(({ calls, results }) => results.some((id) => !calls.includes(id)))
        ? "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
        : null,
  },
]

function chatTools(body: JsonFields): readonly ObjectAt[] {
  return listOf(body['tools']).map((tool, index) => ({
    at: `tools[${index}].function`,
    value: fieldsOf(tool['function']),
  }))
}

function chatCalls(body: JsonFields): readonly ObjectAt[] {
  return listOf(body['messages']).flatMap((message, index) =>
    listOf(message['tool_calls']).map((call, nth) => ({
      at: `messages[${index}].tool_calls[${nth}].function`,
      value: fieldsOf(call['function']),
    })),
  )
}

/** Ids of the calls of a message, and of the results right behind it. */
interface Round {
  readonly calls: readonly unknown[]
  readonly results: unknown[]
}

function chatRounds(body: JsonFields): readonly Round[] {
  const rounds: Round[] = [{ calls: [], results: [] }]
  for (const message of listOf(body['messages'])) {
    if (message['role'] === 'tool') rounds.at(-1)?.results.push(message['tool_call_id'])
    else rounds.push({ calls: listOf(message['tool_calls']).map(({ id }) => id), results: [] })
  }
  return rounds
}

/** Rules of the Responses API, for requests that hold their whole history. */
export const responsesRules: readonly ProviderRule[] = [
  {
    source: 'https://github.com/JohnnyZ93/oai-compatible-copilot/issues/302',
    date: '2026-09-16',
    refusal:
      'Failed to parse the request body as JSON: input[70].output: lone leading surrogate in hex escape at line 1 column 138321',
    refuse: ({ text }) => surrogateRefusal(text, 'input[0].output'),
  },
  ...toolRules(responsesTools),
  {
    source: 'https://github.com/AnswerDotAI/fastllm/issues/45',
    date: '2026-06-08',
    refusal:
      "Invalid 'input[95].call_id': string too long. Expected a string with maximum length 64, but got a string with length 116 instead.",
    refuse: ({ body }) =>
      firstRefusal(inputOf(body), ({ at, value }) => {
        const { length } = textOf(value['call_id'])
        return length <= 64
          ? null
          : `Invalid '${at}.call_id': string too long. Expected a string with maximum length 64, but got a string with length ${length} instead.`
      }),
  },
  {
    source: 'https://github.com/continuedev/continue/issues/8933',
    date: '2025-11-28',
    refusal:
      "Item 'rs_06a20bd006d58dde00692a12986174819ea1cd9ea5b9ca4946' of type 'reasoning' was provided without its required following item.",
    refuse({ body }) {
      const input = inputOf(body)
      const alone = input.find(({ value }, index) => value['type'] === 'reasoning' && !isMade(input[index + 1]?.value))
      return alone === undefined
        ? null
        : `Item '${alone.value['id']}' of type 'reasoning' was provided without its required following item.`
    },
  },
  {
    source: 'https://github.com/james-6-23/codex2api/issues/414',
    date: '2026-07-20',
    refusal: 'No tool call found for function call output with call_id call_uqaym698xduZM7eXCT0SUABW.',
    refuse({ body }) {
      const made = new Set<unknown>()
      return firstRefusal(inputOf(body), ({ value: { type, call_id: id } }) => {
        if (/_call$/.test(textOf(type))) made.add(id)
        return !/_call_output$/.test(textOf(type)) || made.has(id)
          ? null
          : `No tool call found for function call output with call_id ${id}.`
      })
    },
  },
  {
    source: 'https://github.com/openai/codex/issues/93',
    date: '2025-04-16',
    refusal: 'No tool output found for function call call_k20FunjGZouIu7PaUIAHz2G6.',
    refuse({ body }) {
      const input = inputOf(body).map(({ value }) => value)
      const told = new Set(
        input.flatMap((item) => (/_call_output$/.test(textOf(item['type'])) ? [item['call_id']] : [])),
      )
      const open = input.find(
        (item) => /^(?:function|custom_tool)_call$/.test(textOf(item['type'])) && !told.has(item['call_id']),
      )
      return open === undefined ? null : `No tool output found for function call ${open['call_id']}.`
    },
  },
]

/** Tells if the model itself writes such an item after its reasoning: no message of a user and no output of a tool. */
function isMade(item: JsonFields | undefined): boolean {
  return (
    item !== undefined &&
    !/_output$|_response$/.test(textOf(item['type'])) &&
    (item['role'] ?? 'assistant') === 'assistant'
  )
}

function responsesTools(body: JsonFields): readonly ObjectAt[] {
  return listOf(body['tools']).map((value, index) => ({ at: `tools[${index}]`, value }))
}

function inputOf(body: JsonFields): readonly ObjectAt[] {
  return listOf(body['input']).map((value, index) => ({ at: `input[${index}]`, value }))
}
