import { fileURLToPath } from 'node:url'
import { type Answer, type ScriptedModel, scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import type { ToolRules } from '@parley/models'
import { type McpPlace, mcpPlace } from './mcp-place.ts'

const script = fileURLToPath(new URL('listing-server.mjs', import.meta.url))

/** What `listing-server.mjs` answers. */
export interface Listing {
  readonly before?: string
  readonly initialize?: object
  readonly pages: Readonly<Record<string, unknown>>
  readonly resources?: Readonly<Record<string, unknown>>
  readonly calls?: Readonly<Record<string, object>>
}

/** A place whose server `ugly` lists what a test says. */
export function listingPlace(listing: Listing, more = ''): McpPlace {
  const place = mcpPlace()
  const args = [script, JSON.stringify(listing)].map((arg) => JSON.stringify(arg)).join(', ')
  place.append(`\n[mcp_servers.ugly]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${args}]\n${more}\n`)
  return place
}

/** A tool as servers list it. */
export const tool = (name: unknown, more: object = {}) => ({
  name,
  description: `Does ${String(name)}.`,
  inputSchema: { type: 'object', properties: { q: { type: 'string' } } },
  ...more,
})

/** A model whose API has these rules for tools. */
export function modelWith(toolRules: ToolRules, ...steps: readonly Answer[]): ScriptedModel {
  const model = scriptedModel(...steps)
  return { ...model, client: { ...model.client, toolRules } }
}
