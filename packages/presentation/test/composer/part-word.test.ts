import type { FoundPart } from '@parley/protocol'
import { describe, expect, it } from 'vitest'
import { namesPart, partsAt } from '../../src/composer/part-word.ts'

function part(kind: FoundPart['kind'], name: string, more: Partial<FoundPart> = {}): FoundPart {
  const about = { description: `Does ${name}.`, origin: 'user', path: `/home/${name}`, state: 'ready' } as const
  return { kind, name, ...about, remarks: [], forModel: true, forUser: true, files: [], ...more }
}

const parts = [
  part('skill', 'deploy', { argumentHint: 'TARGET' }),
  part('skill', 'draw', { state: 'untrusted' }),
  part('skill', 'dig', { forUser: false }),
  part('command', 'doc'),
]

const written = (text: string, caret = text.length) => partsAt({ text, caret }, parts).map((found) => found.written)

describe('skills and commands', () => {
  it('complete a name after / and, of skills, after $ within a message', () => {
    expect(written('/')).toEqual(['/deploy', '/doc'])
    expect(written('/DE')).toEqual(['/deploy'])
    expect(written('please $d')).toEqual(['$deploy'])
    expect(written('please $d now', 9)).toEqual(['$deploy'])
    expect(partsAt({ text: 'please $de', caret: 10 }, parts)[0]).toMatchObject({ start: 7, end: 10, argument: '' })
    expect(partsAt({ text: '/de', caret: 3 }, parts)[0]).toMatchObject({ start: 0, end: 3, argument: 'TARGET' })
  })

  it('complete nothing else', () => {
    for (const text of ['', 'say', 'a$d', '/deploy now', '!echo $d', 'costs $5']) expect(written(text)).toEqual([])
    expect(partsAt({ text: '/', caret: 1 }, null)).toEqual([])
  })

  it('are a message when their name is whole and they can be used', () => {
    expect(['/deploy', '/deploy to staging', '/doc\nmore'].map((text) => namesPart(text, parts))).toEqual([
      true,
      true,
      true,
    ])
    for (const text of ['/dep', '/draw', '/dig', 'deploy', '/deploy/x']) expect(namesPart(text, parts)).toBe(false)
    expect(namesPart('/deploy', null)).toBe(false)
  })
})
