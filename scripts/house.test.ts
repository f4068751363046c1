import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { importCircles } from './layering/circles.ts'
import { newestSubjects, subjectViolations } from './layering/commit-subjects.ts'
import { backwardCommentViolations, docstringViolations } from './layering/docstrings.ts'
import {
  folderOrderViolations,
  folderSizeViolations,
  packageSizeViolations,
  splinterViolations,
} from './layering/folders.ts'
import { findViolations } from './layering/house-rules.ts'
import { readSources, root } from './layering/sources.ts'
import { errorNameViolations, retiredWordViolations } from './layering/words.ts'

/** `HOUSE=packages/host/src/sandbox` looks at one folder only. */
const { HOUSE: folder = '' } = process.env
const all = readSources('src')
const sources = all.filter(({ path }) => path.startsWith(folder))
const scriptPaths = globSync('scripts/**/*.{mjs,ts}', { cwd: root }).filter((path) => path.startsWith(folder))
const scripts = scriptPaths.map((path) => {
  return { path, text: readFileSync(join(root, path), 'utf8'), isTest: path.endsWith('.test.ts') }
})
const decisions = globSync('docs/decisions/*.md', { cwd: root }).map((path) => readFileSync(join(root, path), 'utf8'))

describe('the house', () => {
  test('has no circle of imports, types included', () => {
    expect(importCircles(sources)).toEqual([])
  })

  test('has arrows between folders that go one way', () => {
    expect(sources.flatMap(folderOrderViolations)).toEqual([])
  })

  test('has folders that can be read at a glance', () => {
    expect(folderSizeViolations(sources)).toEqual([])
  })

  test('has sources that are neither splinters nor heaps', () => {
    expect([...splinterViolations(sources), ...packageSizeViolations(sources, decisions)]).toEqual([])
  })

  test('uses the words of the glossary', () => {
    expect(sources.flatMap(retiredWordViolations)).toEqual([])
  })

  test('names error classes as errors', () => {
    expect(sources.flatMap(errorNameViolations)).toEqual([])
  })

  test('has docstrings that say what a thing does', () => {
    expect([...sources, ...scripts].flatMap(docstringViolations)).toEqual([])
    expect(scripts.filter(({ isTest }) => !isTest).flatMap(backwardCommentViolations)).toEqual([])
  })

  describe('keeps a rule over all packages:', () => {
    test.each([...findViolations(all)])('%s', (_, found) => {
      expect(found.filter((fault) => fault.startsWith(folder))).toEqual([])
    })
  })
})

test('the newest commits say "area: what changed" in 72 characters', () => {
  expect(newestSubjects().flatMap(subjectViolations)).toEqual([])
})
