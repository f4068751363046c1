import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { defineTool } from '../../../src/tools/contract/define-tool.ts'
import type { PreparedCall } from '../../../src/tools/contract/tool.ts'

const prepared: PreparedCall = {
  describe: () => ({ type: 'toolCall', kind: 'other', title: 't', text: '', input: '{}' }),
  facts: () => Promise.resolve({ kind: 'other', tool: 'x', readOnly: true }),
  plan: async () => ({ payload: 'p', run: async () => ({ status: 'completed', modelText: 'ok' }) }),
}
const input = z.object({ path: z.string().min(1).describe('where'), depth: z.int().optional() })
const makeTool = () =>
  defineTool({
    name: 'x',
    description: 'about x',
    readOnly: true,
    input,
    prepare: ({ path }) => (path === 'bad' ? { problem: 'bad path' } : prepared),
  })
const tool = makeTool()

describe('a tool', () => {
  it('has a JSON schema with an object at its root', () => {
    expect(tool.parameters()).toEqual({
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1, description: 'where' },
        depth: expect.objectContaining({ type: 'integer' }),
      },
      required: ['path'],
    })
  })

  it('has the schema in memory once, however many conversations have the tool', () => {
    expect(makeTool().parameters()).toBe(tool.parameters())
  })

  it('prepares a call whose arguments fit', () => {
    expect(tool.prepare({ path: 'a', more: 1 })).toBe(prepared)
  })

  it.each([
    [{}, 'path'],
    [{ path: 7 }, 'path'],
    [{ path: 'a', depth: 1.5 }, 'depth'],
    [null, 'object'],
    [{ path: 'bad' }, 'bad path'],
  ])('says what is wrong with %j', (args, words) => {
    expect(tool.prepare(args)).toEqual({ problem: expect.stringContaining(words) })
  })
})
