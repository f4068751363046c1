import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from '../layering/sources.ts'
import { faults } from './fault-section.mjs'
import { readTitles } from './test-titles.ts'

type Proof = { readonly file: string; readonly title: string }
type Fault = { readonly id: string; readonly proofs: readonly Proof[] }

const rows: readonly Fault[] = faults
const files = [...new Set(rows.flatMap(({ proofs }) => proofs.map(({ file }) => file)))]
const titles = new Map(
  globSync(files, { cwd: root }).map((file) => [file, readTitles(file, readFileSync(join(root, file), 'utf8'))]),
)

function isShown({ file, title }: Proof): boolean {
  return titles.get(file)?.some((test) => test.title === title && !test.isLeftOut) === true
}

describe('the table of faults', () => {
  test('has each id once, and at least one test for each row', () => {
    const ids = rows.map(({ id }) => id)
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
    expect(rows.filter(({ proofs }) => proofs.length === 0).map(({ id }) => id)).toEqual([])
  })

  test('names tests that are there and not left out', () => {
    const missing = rows.flatMap(({ id, proofs }) =>
      proofs.filter((proof) => !isShown(proof)).map(({ file, title }) => `${id}: ${file} > ${title}`),
    )
    expect(missing).toEqual([])
  })
})

describe('the titles of a source', () => {
  const titlesIn = (text: string) => readTitles('a.test.ts', text)

  test('have those of their groups before them, with tables and templates as written', () => {
    const text = `describe.each(rows)('a %s', () => { it.each([['x']])('is %i', () => {}); test(\`b \${c}\`, {}, run) })`
    expect(titlesIn(text)).toEqual([
      { title: 'a %s > is %i', isLeftOut: false },
      { title: 'a %s > b …', isLeftOut: false },
    ])
  })

  test('are marked where a test or its group is left out', () => {
    const text = `describe.skip('a', () => { it('b', run) }); it.todo('c'); it.runIf(linux).fails('d', run); it.skipIf(mac)('e', run)`
    expect(titlesIn(text).map(({ title, isLeftOut }) => [title, isLeftOut])).toEqual([
      ['a > b', true],
      ['c', true],
      ['d', true],
      ['e', false],
    ])
  })
})
