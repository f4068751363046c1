import * as z from 'zod'

/** Schemas are built on first use: the first delta must not wait for all of them. */
function lazily<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

const content = lazily(() =>
  z.looseObject({ type: z.string(), text: z.string().optional(), refusal: z.string().optional() }),
)

/** An output item. The object itself goes back to the provider verbatim; these are the fields we read. */
export const outputItem = lazily(() =>
  z.looseObject({
    type: z.string(),
    status: z.string().nullish(),
    content: z.array(content()).nullish(),
    summary: z.array(content()).nullish(),
    id: z.string().nullish(),
    call_id: z.string().nullish(),
    name: z.string().nullish(),
    arguments: z.string().nullish(),
  }),
)
export type OutputItem = z.infer<ReturnType<typeof outputItem>>

const usage = lazily(() =>
  z.looseObject({
    input_tokens: z.number().catch(0),
    output_tokens: z.number().catch(0),
    input_tokens_details: z.looseObject({ cached_tokens: z.number().nullish() }).nullish().catch(null),
    output_tokens_details: z.looseObject({ reasoning_tokens: z.number().nullish() }).nullish().catch(null),
  }),
)

export const finalResponse = lazily(() =>
  z.looseObject({
    status: z.string().nullish(),
    output: z.array(z.unknown()).nullish(),
    incomplete_details: z.looseObject({ reason: z.string().nullish() }).nullish(),
    usage: usage().nullish().catch(null),
  }),
)
export type FinalResponse = z.infer<ReturnType<typeof finalResponse>>
