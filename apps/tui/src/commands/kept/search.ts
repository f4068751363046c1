import type { Parley } from '@parley/client'
import { shownLine } from '@parley/presentation/text/control-characters'
import { countOf } from '@parley/presentation/text/formats'
import type { ParamsOf, ResultOf } from '@parley/protocol'
import { connect } from '../../cli/connect.ts'
import { exitCodes, misused } from '../../cli/exit-codes.ts'
import { fromWorkingFolder } from '../../cli/folders.ts'
import type { Launch } from '../../cli/launch-server.ts'
import { colourDepth } from '../../terminal/port.ts'
import { conversationLines } from './list.ts'
import { createProgress, missingText, untilWhole } from './until-whole.ts'

export interface SearchFlags {
  readonly cd?: string
  readonly archived?: boolean
  readonly limit: number
  readonly json?: boolean
}

type SearchResult = ResultOf<'conversation/search'>

const mostFound = 200
/** Time for one request to read conversations, in ms: then progress is shown. */
const waitMs = 2000

/** Runs `parley search`: lists conversations that contain the words, each with the newest place. Exit code 5 without a match. */
export async function runSearch(launch: Launch, words: readonly string[], flags: SearchFlags): Promise<number> {
  const query = words.join(' ')
  if (!/[\p{L}\p{N}]/u.test(query)) throw misused('Say what to search for: parley search WORDS')
  const { stdout, stderr } = launch.streams
  const { cd, archived, limit, json = false } = flags
  await using parley = await connect(launch, { clientName: 'parley-search' })
  const request = {
    query,
    limit: Math.min(limit, mostFound),
    waitMs,
    ...(cd === undefined ? {} : { cwd: fromWorkingFolder(cd) }),
    ...(archived === true ? { archived } : {}),
  }
  const { answer: result, unread } = await searchAll(parley, request, stderr)
  const isTerminal = stdout.isTTY === true
  const isFar = launch.server !== null
  const lines = json
    ? result.found.map((one) => JSON.stringify(one))
    : textLines(result.found, { isTerminal, isBold: isTerminal && colourDepth(launch.env) !== 'none', isFar })
  stdout.write(lines.map((line) => `${line}\n`).join(''))
  if (!json) for (const note of notesOn(result)) stderr.write(`${note}\n`)
  if (unread > 0) {
    stderr.write(`${missingText(unread)}\n`)
    return exitCodes.storage
  }
  return result.found.length === 0 ? exitCodes.notFound : exitCodes.ok
}

/** Asks until all conversations are read, and counts the unread ones on a terminal. */
function searchAll(parley: Parley, request: ParamsOf<'conversation/search'>, stderr: Launch['streams']['stderr']) {
  return untilWhole(
    () => parley.request('conversation/search', request),
    createProgress(stderr, (unread) => `reading ${countOf(unread, 'conversation')} for the first time …`),
  )
}

interface Look {
  readonly isTerminal: boolean
  readonly isBold: boolean
  readonly isFar: boolean
}

function textLines(found: SearchResult['found'], { isTerminal, isBold, isFar }: Look): readonly string[] {
  const lines = conversationLines(
    found.map(({ conversation }) => conversation),
    { withNames: isTerminal, isFar },
  )
  const heads = lines.slice(0, lines.length - found.length)
  const rows = lines.slice(heads.length)
  return [...heads, ...found.flatMap((one, index) => [rows[index] ?? '', `    ${excerptText(one, isBold)}`])]
}

function excerptText({ items, excerpt }: SearchResult['found'][number], isBold: boolean): string {
  const { before, words, after, from, seq } = excerpt
  const shown = isBold && words !== '' ? `\x1b[1m${shownLine(words)}\x1b[22m` : shownLine(words)
  const more = items > 1 ? `  (and ${items - 1} more)` : items === 0 ? '  (the other words elsewhere in it)' : ''
  return `${sources[from]} ${seq}: ${shownLine(before)}${shown}${shownLine(after)}${more}`
}

const sources = { user: 'you', model: 'model', call: 'call', notice: 'notice', name: 'name' } as const

function notesOn({ found, total, leftOut }: SearchResult): readonly string[] {
  return [
    ...(found.length === 0 ? ['Nothing found.'] : []),
    ...(total > found.length ? [`${total - found.length} more: --limit shows them.`] : []),
    ...(leftOut > 0 ? [`The ${countOf(leftOut, 'oldest conversation')} are not searched: there are too many.`] : []),
  ]
}
