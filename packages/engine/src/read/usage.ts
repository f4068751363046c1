import { localDay } from '@parley/host'
import {
  decodeHeader,
  type Files,
  type ListingRows,
  type LogExcerpt,
  type LoggedEnvelope,
  listSessions,
} from '@parley/journal'
import {
  addTokens,
  type EventOf,
  type ModelChoice,
  noTokens,
  type ParamsOf,
  type ResultOf,
  type TokenCounts,
} from '@parley/protocol'
import { isRecord } from '@parley/text'
import { createLogReader } from '../conversation/journal.ts'
import type { Catalogue } from './catalogue.ts'
import type { TeamCopies } from './team-copies.ts'

type UsageRow = ResultOf<'usage/read'>['rows'][number]

interface UsagePorts {
  readonly files: Files
  readonly home: string
  /** Conversations that the client may read. */
  readonly readable: Pick<Catalogue, 'all' | 'among' | 'live'>
  readonly copies: TeamCopies | null
}

/** Time to wait for what other servers have written, in ms. */
const waitMs = 1000

/** Sums tokens and cost of all logs that the client may read, and keeps the sums in an index beside the logs. */
export async function readUsage(
  { files, home, readable, copies }: UsagePorts,
  { by = 'day', since = '' }: ParamsOf<'usage/read'>,
): Promise<ResultOf<'usage/read'>> {
  const unread = (await copies?.bring(readable, waitMs)) ?? 0
  const mayRead = await readable.among()
  const sessions = (await listSessions(files, home, rows)).filter(({ id }) => mayRead === null || mayRead(id))
  const sums = new Map<string, UsageRow>()
  for (const { row } of sessions) {
    const counted = new Set<string>()
    for (const bucket of row.filter(({ day }) => day >= since)) {
      const key = keyOf(bucket, by)
      const sum = sums.get(key) ?? { key, conversations: 0, calls: 0, counts: noTokens }
      const conversations = sum.conversations + (counted.has(key) ? 0 : 1)
      counted.add(key)
      const counts = addTokens(sum.counts, bucket.counts)
      sums.set(key, { key, conversations, calls: sum.calls + bucket.calls, counts })
    }
  }
  return { rows: [...sums.values()].sort(by === 'day' ? newestFirst : dearestFirst), unread }
}

function keyOf({ day, model, modelProvider, folder }: Bucket, by: NonNullable<ParamsOf<'usage/read'>['by']>): string {
  switch (by) {
    case 'day':
      return day
    case 'model':
      return `${modelProvider} ${model}`
    case 'folder':
      return folder
  }
}

function newestFirst(a: UsageRow, b: UsageRow): number {
  return a.key < b.key ? 1 : -1
}

function dearestFirst({ counts: a }: UsageRow, { counts: b }: UsageRow): number {
  const tokensOf = ({ inputTokens, outputTokens }: TokenCounts) => inputTokens + outputTokens
  return (b.costUsd ?? 0) - (a.costUsd ?? 0) || tokensOf(b) - tokensOf(a)
}

/** Calls of one conversation on one day, by one model, in one folder. */
interface Bucket extends ModelChoice {
  /** Local day, YYYY-MM-DD. */
  readonly day: string
  readonly folder: string
  readonly calls: number
  readonly counts: TokenCounts
}

const rows: ListingRows<readonly Bucket[]> = {
  fileName: 'usage.jsonl',
  version: 1,
  tellingTypes: new Set(['usage.updated', 'conversation.configured', 'conversation.moved']),
  isRow: (value): value is readonly Bucket[] => Array.isArray(value) && value.every(isBucket),
  describe,
  goesOn: false,
}

function isBucket(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'day' in value && 'counts' in value && 'folder' in value
}

const isTelling = /^.{0,60}"type":"(usage\.updated|conversation\.(created|configured|moved))"/

/** Sums the calls of a log. A fork's log begins with the lines of the original, which are counted there. */
function describe({ headLines, tellingLines, tailLines }: LogExcerpt): readonly Bucket[] | null {
  const header = decodeHeader(Buffer.from(headLines[0] ?? ''))
  const reader = createLogReader(header)
  const copied = header?.forkedFrom?.seq ?? 0
  const buckets = new Map<string, Bucket>()
  let place: UsageOrigin = { cwd: '', environment: null, model: 'unknown', modelProvider: 'unknown' }
  for (const line of [...headLines, ...tellingLines, ...tailLines]) {
    const logged = isTelling.test(line) ? reader.read(line) : null
    if (logged === null) continue
    if (isUsage(logged.event)) {
      if (logged.seq > copied) addCall(buckets, logged.event, { ...place, day: localDay(logged.at) })
    } else place = placeAfter(place, logged)
  }
  return buckets.size === 0 ? null : [...buckets.values()]
}

interface UsageOrigin extends ModelChoice {
  readonly cwd: string
  readonly environment: string | null
}

type UsageUpdated = Pick<EventOf<'usage.updated'>, 'counts' | 'by'>

function isUsage(event: object): event is UsageUpdated {
  return 'type' in event && event.type === 'usage.updated' && 'counts' in event
}

function addCall(
  buckets: Map<string, Bucket>,
  { counts, by }: UsageUpdated,
  { day, cwd, environment, ...settings }: UsageOrigin & { readonly day: string },
): void {
  const folder = environment === null ? cwd : `${environment}:${cwd}`
  const { model, modelProvider } = by ?? settings
  const key = JSON.stringify([day, modelProvider, model, folder])
  const known = buckets.get(key)
  buckets.set(key, {
    ...{ day, folder, modelProvider, model },
    calls: (known?.calls ?? 0) + 1,
    counts: addTokens(known?.counts ?? noTokens, counts),
  })
}

/** Returns folder and settings after an event. Events of earlier programs name the model only there. */
function placeAfter(place: UsageOrigin, { event }: LoggedEnvelope): UsageOrigin {
  const { cwd, settings } = event
  const { model, modelProvider, environment } = isRecord(settings) ? settings : {}
  return {
    cwd: typeof cwd === 'string' ? cwd : place.cwd,
    environment: typeof environment === 'string' ? environment : place.environment,
    model: typeof model === 'string' ? model : place.model,
    modelProvider: typeof modelProvider === 'string' ? modelProvider : place.modelProvider,
  }
}
