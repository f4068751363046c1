import { type Client, ProtocolError } from '@modelcontextprotocol/client'
import { isRecord } from '@parley/text'
import * as z from 'zod'
import type { ListProblem, ResourceList, ServerTool, ToolList } from './connection.ts'
import { maxMessageBytes } from './replies/limit-replies.ts'
import { speaksOfSession } from './replies/lost-session.ts'
import { withoutNulls } from './replies/without-nulls.ts'

/** Limit of pages of a list, for servers with an endless list. */
const maxPages = 100

/** Values of a list; the problem is the reason why the rest was not requested. */
interface WholeList {
  readonly values: readonly unknown[]
  readonly problem: string | null
}

/** Cursor of the next page. Opaque, so that it goes back as it came. */
type PageCursor = string | number

const page = z.looseObject({})

/** Requests all pages of `tools/list` or `resources/list`. A repeated page ends the list. */
export async function pages(
  client: Client,
  list: 'tools' | 'resources',
  options: { timeout: number; signal?: AbortSignal },
): Promise<WholeList> {
  const values: unknown[] = []
  const seen = new Set<PageCursor>()
  let cursor: PageCursor | null = null
  let size = 0
  for (;;) {
    const asked = await pageAt(client, list, cursor, options)
    if ('refused' in asked)
      return { values, problem: `page ${seen.size + 1} of its list was refused (${asked.refused})` }
    const found = asked[list]
    if (Array.isArray(found)) for (const one of found) values.push(one)
    size += JSON.stringify(found ?? []).length
    if (size > maxMessageBytes)
      throw new Error(`its list has more than ${maxMessageBytes / 1024 / 1024} MiB, the limit for one`)
    cursor = cursorIn(asked)
    if (cursor === null) return { values, problem: null }
    if (seen.has(cursor)) return { values, problem: 'its list comes back to a page that it gave before' }
    if (seen.size === maxPages - 1) return { values, problem: `its list has more than ${maxPages} pages` }
    seen.add(cursor)
  }
}

/** Returns a page. For a refused page after the first, returns the server's words. */
async function pageAt(
  client: Client,
  list: string,
  cursor: PageCursor | null,
  options: { timeout: number; signal?: AbortSignal },
): Promise<Readonly<Record<string, unknown>> | { readonly refused: string }> {
  try {
    return await client.request({ method: `${list}/list`, params: cursor === null ? {} : { cursor } }, page, options)
  } catch (error) {
    if (cursor === null || !ProtocolError.isInstance(error) || speaksOfSession(error.message)) throw error
    return { refused: error.message }
  }
}

function cursorIn({ nextCursor }: Readonly<Record<string, unknown>>): PageCursor | null {
  if (typeof nextCursor !== 'string' && typeof nextCursor !== 'number') return null
  return nextCursor === '' || nextCursor === 0 ? null : nextCursor
}

/** Reads the tools of a list. A tool that cannot be offered is left out with its reason. */
export function toolList({ values, problem }: WholeList): ToolList {
  const tools = new Map<string, ServerTool>()
  const problems: ListProblem[] = problem === null ? [] : [{ tool: null, why: problem }]
  const repeated = new Map<string, number>()
  let nameless = 0
  for (const value of values) {
    const { name, title, description } = isRecord(value) ? value : {}
    if (!isRecord(value) || typeof name !== 'string' || name === '') nameless += 1
    else if (tools.has(name)) repeated.set(name, (repeated.get(name) ?? 1) + 1)
    else {
      const inputSchema = inputSchemaOf(value['inputSchema'])
      if (typeof inputSchema === 'string') problems.push({ tool: name, why: inputSchema })
      else tools.set(name, { name, title: textOr(title, null), description: textOr(description, ''), inputSchema })
    }
  }
  const more = [...repeated].map(([tool, times]) => ({
    tool,
    why: `it is listed ${times} times, and the first counts`,
  }))
  const unnamed =
    nameless === 0 ? [] : [{ tool: null, why: `${nameless === 1 ? 'a tool' : `${nameless} tools`} without a name` }]
  return { tools: [...tools.values()], problems: [...problems, ...more, ...unnamed] }
}

/** Returns a schema, or the reason why the value is not a schema. */
function inputSchemaOf(value: unknown): ServerTool['inputSchema'] | string {
  if (value === undefined || value === null) return {}
  if (!isRecord(value)) return 'its inputSchema is no object'
  return withoutNulls(value) ?? 'its inputSchema is nested too deeply'
}

/** Reads the resources of a list; an invalid one is left out. */
export function resourceList({ values, problem }: WholeList): ResourceList {
  const resources = values.flatMap((value) => {
    if (!isRecord(value) || typeof value['uri'] !== 'string') return []
    const { uri, name, description, mimeType } = value
    return [{ uri, name: textOr(name, uri), description: textOr(description, ''), mimeType: textOr(mimeType, null) }]
  })
  return { resources, problem }
}

function textOr<Otherwise>(value: unknown, otherwise: Otherwise): string | Otherwise {
  return typeof value === 'string' ? value : otherwise
}
