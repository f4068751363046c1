import {
  fieldsOf,
  firstRefusal,
  type JsonFields,
  listOf,
  type ObjectAt,
  type ProviderRule,
  textOf,
} from './provider-rule.ts'

/** Rules of the Gemini API. */
export const geminiRules: readonly ProviderRule[] = [
  {
    source: 'https://github.com/kaitranntt/ccs/issues/25',
    date: '2025-11-30',
    refusal:
      'tools[0].function_declarations[53].name: [FIELD_INVALID] Invalid function name. Must start with a letter or an underscore. Must be a-z, A-Z, 0-9, or contain underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.',
    refuse: ({ body }) =>
      firstRefusal(declarationsOf(body), ({ at, value }) =>
        /^[a-zA-Z_][\w.:-]{0,63}$/.test(textOf(value['name']))
          ? null
          : `${at}.name: [FIELD_INVALID] Invalid function name. Must start with a letter or an underscore. Must be a-z, A-Z, 0-9, or contain underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.`,
      ),
  },
  {
    source: 'https://github.com/langchain-ai/langchain-google/issues/691',
    date: '2025-01-13',
    refusal: '* GenerateContentRequest.contents[41].parts: contents.parts must not be empty.',
    refuse: ({ body }) =>
      firstRefusal(contentsOf(body), ({ at, value }) =>
        listOf(value['parts']).length > 0
          ? null
          : `* GenerateContentRequest.${at}.parts: contents.parts must not be empty.`,
      ),
  },
  {
    source: 'https://github.com/google-gemini/gemini-cli/issues/4217',
    date: '2025-07-15',
    refusal:
      'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
    refuse({ body }) {
      const contents = contentsOf(body).map(({ value }) => value)
      const isUneven = contents.some((content, index) => {
        const calls = partsOf(content, 'functionCall').length
        const next = contents[index + 1]
        return calls > 0 && partsOf(next ?? {}, 'functionResponse').length !== calls
      })
      return isUneven
        ? 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.'
        : null
    },
  },
  {
    source: 'https://github.com/google-gemini/gemini-cli/issues/26486',
    date: '2026-05-05',
    refusal:
      'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
    refuse: ({ body }) =>
      contentsOf(body).some(
        ({ value }, index, all) =>
          partsOf(value, 'functionCall').length > 0 && all[index - 1]?.value['role'] !== 'user',
      )
        ? 'Please ensure that function call turn comes immediately after a user turn or after a function response turn.'
        : null,
  },
  {
    source: 'https://github.com/manthanabc/paws/issues/103',
    date: '2026-02-19',
    refusal:
      'Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:shell` , position 2. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.',
    refuse({ body, model }) {
      if (!/gemini-3/.test(model)) return null
      return firstRefusal(contentsOf(body), ({ at, value }) => {
        const [first] = partsOf(value, 'functionCall')
        if (first === undefined || first['thoughtSignature'] !== undefined) return null
        const place = Number(/\d+/.exec(at)?.[0]) + 1
        return `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${fieldsOf(first['functionCall'])['name']}\` , position ${place}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`
      })
    },
  },
]

function declarationsOf(body: JsonFields): readonly ObjectAt[] {
  return listOf(body['tools']).flatMap((tool, nth) =>
    listOf(tool['functionDeclarations']).map((value, index) => ({
      at: `tools[${nth}].function_declarations[${index}]`,
      value,
    })),
  )
}

function contentsOf(body: JsonFields): readonly ObjectAt[] {
  return listOf(body['contents']).map((value, index) => ({ at: `contents[${index}]`, value }))
}

/** Returns the parts of a content that have a field. */
function partsOf(content: JsonFields, field: string): readonly JsonFields[] {
  return listOf(content['parts']).filter((part) => field in part)
}
