import { createHash } from 'node:crypto'
import type { ModelEntry, ModelRequest } from '../../port/model-client.ts'
import type { RecordedResponse, RequestDigest } from './recording.ts'

/** Hashes of a request. They cover what every model reads, and leave out the parts of one provider. */
interface WholeDigest {
  readonly model: string
  readonly effort: string | undefined
  readonly outputSchema: string | undefined
  readonly instructions: string
  readonly tools: string
  readonly entries: readonly string[]
}

const shortHashChars = 16

export function digestRequest(request: ModelRequest): WholeDigest {
  const { model, effort, instructions, tools, entries, outputSchema } = request
  return {
    model,
    effort,
    outputSchema: outputSchema === undefined ? undefined : shortHash(JSON.stringify(outputSchema)),
    instructions: shortHash(instructions),
    tools: shortHash(JSON.stringify(tools)),
    entries: entries.map((entry) => shortHash(JSON.stringify(neutral(entry)))),
  }
}

/** Returns the digest for a line of a recording; `known` are the entries of the previous line. */
export function digestForLine(whole: WholeDigest, known: readonly string[]): RequestDigest {
  const differing = whole.entries.findIndex((entry, index) => entry !== known[index])
  const from = differing === -1 ? Math.min(known.length, whole.entries.length) : differing
  const { effort, outputSchema, ...fields } = whole
  return {
    sha256: sha256(whole),
    ...fields,
    ...(effort === undefined ? {} : { effort }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    from,
    entries: whole.entries.slice(from),
  }
}

/** Returns the first field of a request that differs from the recorded `responses[at]`; undefined if all are equal. */
export function firstDifference(
  whole: WholeDigest,
  responses: readonly RecordedResponse[],
  at: number,
): string | undefined {
  const recorded = responses[at]?.request
  if (recorded === undefined) return 'request (the recording has none)'
  if (recorded.sha256 === sha256(whole)) return undefined
  for (const field of ['model', 'effort', 'outputSchema', 'instructions', 'tools'] as const) {
    if (recorded[field] !== whole[field]) return field
  }
  const entries = recordedEntries(responses.slice(0, at + 1))
  const longer = entries.length > whole.entries.length ? entries : whole.entries
  return `entries[${longer.findIndex((_, index) => entries[index] !== whole.entries[index])}]`
}

function recordedEntries(responses: readonly RecordedResponse[]): readonly string[] {
  return responses.reduce<readonly string[]>(
    (entries, { request }) => (request ? [...entries.slice(0, request.from), ...request.entries] : entries),
    [],
  )
}

function neutral(entry: ModelEntry): object {
  return entry.kind === 'response' ? { kind: entry.kind, text: entry.text, calls: entry.calls } : entry
}

function sha256(whole: WholeDigest): string {
  const { model, effort = null, instructions, tools, entries, outputSchema } = whole
  const schema = outputSchema === undefined ? [] : [outputSchema]
  return hash(JSON.stringify([model, effort, instructions, tools, entries, ...schema]))
}

function shortHash(text: string): string {
  return hash(text).slice(0, shortHashChars)
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
