import { describe, expect, test } from 'vitest'
import { newListing } from '../src/file-list.ts'
import { matchPaths } from '../src/match-paths.ts'

const files = [
  'README.md',
  'package.json',
  '.github/workflows/ci.yml',
  'src/index.ts',
  'src/ui/press-key.ts',
  'src/ui/composer/composer.ts',
  'src/view/live/composer-rows.ts',
  'test/ui/press-key.test.ts',
]

function matches(query: string, paths: readonly string[] = files): readonly string[] {
  const listing = newListing('/project')
  listing.add(paths)
  return matchPaths(listing.list(true), query)
}

describe('paths for a query', () => {
  test('are those of the folder where nothing or a slash ends it, folders first', () => {
    expect(matches('')).toEqual(['src/', 'test/', 'README.md', 'package.json', '.github/'])
    expect(matches('src/')).toEqual(['src/ui/', 'src/view/', 'src/index.ts'])
    expect(matches('nowhere/')).toEqual([])
  })

  test('have names of the folder first, then beginnings of names, then parts of them', () => {
    expect(matches('p').slice(0, 3)).toEqual(['package.json', 'src/ui/press-key.ts', 'test/ui/press-key.test.ts'])
    expect(matches('src/i')[0]).toBe('src/index.ts')
    expect(matches('key').slice(0, 2)).toEqual(['src/ui/press-key.ts', 'test/ui/press-key.test.ts'])
  })

  test('may have other letters between those of the query', () => {
    expect(matches('comrow')).toEqual(['src/view/live/composer-rows.ts'])
    expect(matches('suipk')[0]).toBe('src/ui/press-key.ts')
    expect(matches('zzz')).toEqual([])
  })

  test('match in either case', () => {
    expect(matches('readme')).toEqual(['README.md'])
    expect(matches('COMPOSER/')).toEqual([])
    expect(matches('SRC/UI/')).toEqual(['src/ui/composer/', 'src/ui/press-key.ts'])
  })

  test('are the best of fifty thousand', () => {
    const many = Array.from({ length: 50_000 }, (_, index) => `deep/folder${index % 100}/some-file-${index}.ts`)
    const found = matches('file-4242', [...many, 'file-4242.md'])
    expect(found.slice(0, 2)).toEqual(['file-4242.md', 'deep/folder42/some-file-4242.ts'])
    expect(matches('e', many)).toHaveLength(50)
  })
})

test('a list that was handed over does not grow', () => {
  const listing = newListing('/project')
  listing.add(['a.ts'])
  const early = listing.list(false)
  listing.add(['b.ts'])
  expect(matchPaths(early, '')).toEqual(['a.ts'])
  expect(matchPaths(listing.list(true), '')).toEqual(['a.ts', 'b.ts'])
})
