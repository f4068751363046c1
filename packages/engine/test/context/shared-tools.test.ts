import { expect, test } from 'vitest'
import { readTools, sharedText } from '../../src/context/shared-tools.ts'

const textOf = (name: string) => JSON.stringify([{ name, description: '', parameters: {} }])

test('tools of equal texts are read once', () => {
  const tools = readTools(textOf('look'))
  expect(tools).toEqual([{ name: 'look', description: '', parameters: {} }])
  expect(readTools(sharedText(textOf('look')))).toBe(tools)
  expect(readTools(textOf('other'))).not.toBe(tools)
})

test('tools that were not asked for lately are read anew', () => {
  const tools = readTools(textOf('first'))
  for (let other = 0; other < 16; other++) readTools(textOf(`tool ${other}`))
  expect(readTools(textOf('first'))).not.toBe(tools)
  expect(readTools(textOf('first'))).toEqual(tools)
})

test('a text that is missing or damaged gives no tools', () => {
  expect([readTools(null), readTools('{}'), readTools('[1, {"name": "x"}]')]).toEqual([[], [], []])
})
