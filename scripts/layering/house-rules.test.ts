import { describe, expect, test } from 'vitest'
import { subjectViolations } from './commit-subjects.ts'
import { importCountViolations } from './conventions.ts'
import { backwardCommentViolations } from './docstrings.ts'
import { folderPairViolations, unorderedFolderViolations } from './folders.ts'
import { packagePicture } from './package-picture.ts'
import { portSpreadViolations } from './port-spreads.ts'
import { toSource } from './sources.ts'
import { typeNameViolations } from './type-names.ts'
import { createTypeTable } from './type-table.ts'
import { wideTypeViolations } from './wide-types.ts'

const path = 'packages/rpc/src/a.ts'
const ports = `interface Ports { read(): string; write(text: string): void; now: () => number }\n`
const members = (count: number, prefix = 'm') =>
  Array.from({ length: count }, (_, index) => `readonly ${prefix}${index}: string`).join('\n')

const sourcesOf = (texts: Readonly<Record<string, string>>) =>
  Object.entries(texts).map(([at, text]) => toSource(at, text))

describe('a wide type', () => {
  const faults = (text: string, others: Readonly<Record<string, string>> = {}) => {
    const sources = sourcesOf({ [path]: text, ...others })
    return wideTypeViolations(sources, createTypeTable(sources))
  }

  test.each([
    `interface A { ${members(13)} }`,
    `type A = { ${members(13)} }`,
    `interface A extends B { ${members(7)} }\ninterface B { ${members(6, 'n')} }`,
    `type A = B & { ${members(7)} }\ntype B = { ${members(6, 'n')} }`,
    `function f(a: { ${members(13)} }): void {}`,
    `interface A extends Omit<B, 'n0'> { ${members(8)} }\ninterface B { ${members(6, 'n')} }`,
  ])('is refused: %s', (text) => {
    expect(faults(text)).toHaveLength(1)
  })

  test('counts what it inherits from another file', () => {
    const other = { 'packages/rpc/src/b.ts': `export type { B as C } from './c.ts'` }
    const last = { 'packages/rpc/src/c.ts': `export interface B { ${members(6, 'n')} }` }
    const text = `import type { C } from './b.ts'\ninterface A extends C { ${members(7)} }`
    expect(faults(text, { ...other, ...last })).toHaveLength(1)
  })

  test.each([
    `interface A { ${members(12)} }`,
    `interface RunFlags { ${members(13)} }`,
    `interface UiState { ${members(13)} }`,
    `type A = { ${members(7)} } | { ${members(7, 'n')} }`,
    `interface A extends B { ${members(7)} }\ninterface B { ${members(5, 'n')} }`,
    `interface A extends B { ${members(7)} }\ninterface B { ${members(6, 'n')} }\nfunction f(role: B): void {}`,
  ])('is none: %s', (text) => {
    expect(faults(text)).toEqual([])
  })
})

describe('a spread of ports', () => {
  const faults = (text: string) => {
    const sources = sourcesOf({ [path]: ports + text })
    return portSpreadViolations(sources, createTypeTable(sources))
  }

  test.each([
    'const f = (given: Ports) => ({ ...given, more: 1 })',
    'function f({ read, ...others }: Ports) { return { ...others } }',
    'function f(given: Ports) { const same = given; g({ ...same }) }',
    'function f(given: { disk: Ports }) { g({ ...given.disk }) }',
    'class A { readonly #disk: Ports; f() { return { ...this.#disk } } }',
    'const f = (given: Ports) => Object.assign({}, given)',
    'function open(): Ports { return made }\nconst f = () => ({ ...open() })',
    'const f = (parts) => ({ ...parts })',
  ])('is refused: %s', (text) => {
    expect(faults(text)).toHaveLength(1)
  })

  test.each([
    'const f = (state: { text: string; at: number }) => ({ ...state, at: 1 })',
    'const f = (state: { text: string; onEnd: () => void }) => ({ ...state, text: "" })',
    'const f = (given: Ports) => ({ read: given.read })',
    'const f = (lines: Ports[]) => [...lines]',
  ])('is none: %s', (text) => {
    expect(faults(text)).toEqual([])
  })
})

describe('folders of a package', () => {
  const sources = sourcesOf({
    'packages/rpc/src/peer/a.ts': `import { b } from '../transport/b.ts'`,
    'packages/rpc/src/transport/b.ts': `import type { C } from '../peer/c.ts'`,
    'packages/rpc/src/peer/new/d.ts': `import { a } from '../a.ts'`,
  })

  test('do not import each other', () => {
    expect(folderPairViolations(sources)).toEqual([
      'packages/rpc/src/peer and packages/rpc/src/transport import each other (1 and 1 times)',
    ])
  })

  test('stand in the order, a new one too', () => {
    expect(unorderedFolderViolations(sources)).toEqual([
      'packages/rpc/src/peer/new has no place in the order of folders',
    ])
  })
})

test('the fourth type of a name is refused with the other three', () => {
  const texts = ['type Place = 1', 'interface Place {}', 'export class Place {}', 'function f() { type Place = 2 }']
  const sources = sourcesOf(Object.fromEntries(texts.map((text, index) => [`packages/rpc/src/${index}.ts`, text])))
  const faults = (given: typeof sources) => typeNameViolations(given, createTypeTable(given))
  expect(faults(sources)).toHaveLength(4)
  expect(faults(sources.slice(1))).toEqual([])
})

test('a source with 21 imports is refused', () => {
  const imports = (count: number) => `import { a } from './a.ts'\n`.repeat(count)
  const more = `export { b } from './b.ts'\nconst later = () => import('./later.ts')`
  expect(importCountViolations(toSource(path, imports(20) + more))).toEqual([])
  expect(importCountViolations(toSource(path, `${imports(20)}let a: import('./b.ts').B`))).toHaveLength(1)
})

describe('a comment', () => {
  test.each([
    '/** True for a log that is none that was fetched. */',
    '/**\n * Returns the paths of a\n * day, and those of the next. */',
    '// Keeps what is left.',
    '// Keeps the rest,\n// whose owner is gone.',
  ])('sends the reader back: %s', (text) => {
    expect(backwardCommentViolations({ path, text })).toHaveLength(1)
  })

  test.each(['/** True for a log that was not fetched. */', 'const none = "those"', '// Tells what to do.'])(
    'reads forward: %s',
    (text) => {
      expect(backwardCommentViolations({ path, text })).toEqual([])
    },
  )
})

describe('a commit subject', () => {
  test.each(['rpc: close a peer once', 'tui, web: show the same words', 'exec-server: say why a path is kept'])(
    'is fine: %s',
    (subject) => {
      expect(subjectViolations(subject)).toEqual([])
    },
  )

  test.each(['Close a peer once', 'rpc:close', `rpc: ${'long '.repeat(14)}`])('is refused: %s', (subject) => {
    expect(subjectViolations(subject)).toHaveLength(1)
  })
})

test('the picture of packages leaves out arrows that follow from others', () => {
  const picture = packagePicture({
    'packages/text': [],
    'packages/rpc': ['@parley/text'],
    'apps/tui': ['@parley/text', '@parley/rpc'],
    'packages/testkit': [],
  })
  expect(picture).toEqual(['apps/tui ──► rpc', 'rpc      ──► text'])
})
