import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { withoutDescriptions } from './strip-descriptions.mjs'

test('descriptions go, whatever their text holds', () => {
  const source = [
    `a: z.string().describe('one (two'),`,
    `b: z.int().describe("it's ) \\" here").min(1),`,
    'c: z',
    '  .array(z.string().describe(`x (y`))',
    `  .describe('inner' + ('outer')),`,
  ].join('\n')
  expect(withoutDescriptions(source)).toBe(
    ['a: z.string(),', 'b: z.int().min(1),', 'c: z', '  .array(z.string())', '  ,'].join('\n'),
  )
})

test('the schemas of the protocol keep none', () => {
  const files = globSync('packages/protocol/src/schema/**/*.ts', { cwd: new URL('../..', import.meta.url) })
  const texts = files.map((file) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'))
  expect(texts.join('')).toContain('.describe(')
  expect(texts.map(withoutDescriptions).join('')).not.toContain('.describe(')
})
