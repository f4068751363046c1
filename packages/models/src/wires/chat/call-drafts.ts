import * as z from 'zod'
import { type JsonRecord, parseRecord } from '../json.ts'

export interface CallDraft {
  readonly nth: number
  readonly index: number | undefined
  id: string
  name: string
  written: string
  extra: JsonRecord | undefined
}

export interface DraftChange {
  readonly draft: CallDraft
  readonly isNew: boolean
  readonly fragment: string
}

let schema: ReturnType<typeof makeSchema> | undefined

function makeSchema() {
  return z.looseObject({
    index: z.number().nullish(),
    id: z.string().nullish(),
    function: z
      .looseObject({
        name: z.string().nullish(),
        arguments: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
      })
      .nullish(),
  })
}

/** Adds one fragment of a call to the draft it belongs to; undefined when it is no fragment at all. */
export function applyFragment(drafts: CallDraft[], raw: unknown): DraftChange | undefined {
  schema ??= makeSchema()
  const parsed = schema.safeParse(raw)
  if (!parsed.success) return undefined
  const { index, id, function: called, type: _type, ...extra } = parsed.data
  const named = { index: index ?? undefined, id: id ?? '', name: called?.name ?? '' }
  const known = findDraft(drafts, named)
  const draft = known ?? { nth: drafts.length, index: named.index, id: '', name: '', written: '', extra: undefined }
  if (known === undefined) drafts.push(draft)
  const args = called?.arguments ?? ''
  const fragment = typeof args === 'string' ? args : JSON.stringify(args)
  draft.id ||= named.id
  draft.name ||= named.name
  draft.written += fragment
  if (Object.keys(extra).length > 0) draft.extra = { ...draft.extra, ...extra }
  return { draft, isNew: known === undefined, fragment }
}

interface Named {
  readonly index: number | undefined
  readonly id: string
  readonly name: string
}

/** The place decides, as the protocol has it; servers that count wrongly or not at all are told by id, then by name. */
function findDraft(drafts: readonly CallDraft[], { index, id, name }: Named): CallDraft | undefined {
  const sameId = id === '' ? undefined : drafts.findLast((draft) => draft.id === id)
  const candidate = index === undefined ? (sameId ?? drafts.at(-1)) : drafts.findLast((draft) => draft.index === index)
  if (candidate === undefined || candidate === sameId) return candidate
  const otherId = id !== '' && candidate.id !== ''
  const startsAnew = name !== '' && (otherId || parseRecord(candidate.written) !== undefined)
  return startsAnew ? undefined : candidate
}
