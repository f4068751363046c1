import { expect, test } from 'vitest'
import { packageFolder } from '../src/package-names.ts'

test('each package has a folder of its own', () => {
  expect(packageFolder('groq')).toBe('groq')
  expect(packageFolder('@ai-sdk/groq')).toBe('@ai-sdk+groq')
  expect(packageFolder('ai-sdk__groq')).not.toBe(packageFolder('@ai-sdk/groq'))
  expect(packageFolder('@a/b__c')).not.toBe(packageFolder('@a__b/c'))
})

test.each([
  '',
  '.',
  '..',
  '.new-1',
  '../x',
  '../../x',
  '/etc',
  'a/b',
  '@a/../b',
  '@a',
  '@a/b/c',
  'a+b',
  'a b',
  'git+ssh://x/y',
  'a@1',
])('%j is not the name of a package', (name) => {
  expect(packageFolder(name)).toBeNull()
})
