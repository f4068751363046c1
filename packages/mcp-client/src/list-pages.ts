import type { Client } from '@modelcontextprotocol/client'
import * as z from 'zod'
import type { ServerResource, ServerTool } from './connection-port.ts'

/** Pages of a list that are read at most; a server whose list never ends must not keep us. */
const maxPages = 100

const toolShape = z.looseObject({
  name: z.string().min(1),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: z.record(z.string(), z.unknown()).optional(),
})
const resourceShape = z.looseObject({
  uri: z.string(),
  name: z.string().optional(),
  description: z.string().optional(),
  mimeType: z.string().optional(),
})

/** One that is not as it should be costs itself only. */
export function toolOf(value: unknown): ServerTool[] {
  const parsed = toolShape.safeParse(value)
  if (!parsed.success) return []
  const { name, title = null, description = '', inputSchema = {} } = parsed.data
  return [{ name, title, description, inputSchema }]
}

export function resourceOf(value: unknown): ServerResource[] {
  const parsed = resourceShape.safeParse(value)
  if (!parsed.success) return []
  const { uri, name = uri, description = '', mimeType = null } = parsed.data
  return [{ uri, name, description, mimeType }]
}

export async function pages(
  client: Client,
  what: 'tools' | 'resources',
  options: { timeout: number; signal?: AbortSignal },
): Promise<readonly unknown[]> {
  const all: unknown[] = []
  let cursor: string | undefined
  for (let page = 0; page < maxPages; page += 1) {
    const params = cursor === undefined ? {} : { cursor }
    const result = await client.request({ method: `${what}/list`, params }, listShape, options)
    const found = result[what]
    if (Array.isArray(found)) all.push(...found)
    cursor = result.nextCursor
    if (cursor === undefined) break
  }
  return all
}

const listShape = z.looseObject({ nextCursor: z.string().optional() })
