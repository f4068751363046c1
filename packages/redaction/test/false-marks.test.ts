import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createRedactor } from '../src/scan/redactor.ts'

const root = join(import.meta.dirname, '../../..')
const redactor = createRedactor({ values: [], tag: () => '00000000' })

/** Files of some size, up to so many bytes of them. */
function sampleOf(folder: string, patterns: readonly string[], maxBytes: number): string[] {
  const texts: string[] = []
  let bytes = 0
  for (const path of globSync([...patterns], { cwd: folder }).sort()) {
    if (bytes >= maxBytes) break
    const text = readFileSync(join(folder, path), 'utf8')
    if (text.length > 2_000_000) continue
    bytes += text.length
    texts.push(text)
  }
  return texts
}

function marksPer100k(texts: readonly string[]): number {
  const words = texts.reduce((sum, text) => sum + (text.match(/\S+/g)?.length ?? 0), 0)
  const marks = texts.reduce(
    (sum, text) => sum + (redactor.text(text).match(/\[secret:[\w-]+:0{8}\]/g)?.length ?? 0),
    0,
  )
  expect(words).toBeGreaterThan(5000)
  return (marks / words) * 100_000
}

describe('fewer than one mark in 100,000 words', () => {
  it.each([
    ['our own sources', ['packages/*/src/**/*.ts', 'apps/*/src/**/*.ts', 'scripts/**/*.mjs', 'docs/**/*.{md,jsonl}']],
    ['the lock file, full of hashes', ['pnpm-lock.yaml']],
  ])('of %s', (_what, patterns) => {
    expect(marksPer100k(sampleOf(root, patterns, 6_000_000))).toBeLessThan(1)
  })

  it.each(['node_modules/fast-check', 'packages/protocol/node_modules/zod', 'packages/workspace/node_modules/diff'])(
    'of %s',
    (folder) => {
      expect(marksPer100k(sampleOf(join(root, folder), ['**/*.{js,cjs,mjs,d.ts,md}'], 1_500_000))).toBeLessThan(1)
    },
  )

  it('of images in base64, hashes, ids and minified code', () => {
    let state = 1
    const random = () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0
      return state >>> 24
    }
    const bytes = Buffer.from(Array.from({ length: 400_000 }, random))
    const hex = bytes.subarray(0, 100_000).toString('hex')
    const texts = [
      bytes.toString('base64'),
      bytes.toString('base64url'),
      hex.match(/.{40}/g)?.join(' ') ?? '',
      hex.match(/.{64}/g)?.join(' ') ?? '',
      hex.replaceAll(/(.{8})(.{4})(.{4})(.{4})(.{12})/g, '$1-$2-$3-$4-$5 '),
    ]
    for (const text of texts) expect(redactor.text(text)).toBe(text)
  })
})
