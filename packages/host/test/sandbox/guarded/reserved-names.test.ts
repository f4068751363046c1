import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { reserveName } from '../../../src/sandbox/guarded/reserved-names.ts'
import { pidNamespace } from '../../../src/system/process-table.ts'
import { openWorkspace } from '../../workspace.ts'

const namespace = /\d+/.exec(pidNamespace('self') ?? '')?.[0] ?? ''

describe('a name that is held', () => {
  it('is there until it is let go, and leaves nothing', () => {
    using workspace = openWorkspace()
    const held = reserveName(workspace.path('.parley'))
    expect(readdirSync(workspace.path('.'))).toEqual(['.parley'])
    held?.release()
    expect(readdirSync(workspace.path('.'))).toEqual([])
  })

  it('is there until all have let it go, whoever came first', () => {
    using workspace = openWorkspace()
    const path = workspace.path('.parley')
    const [one, two, three] = [reserveName(path), reserveName(path), reserveName(path)]
    one?.release()
    three?.release()
    expect(readdirSync(path)).toHaveLength(1)
    const four = reserveName(path)
    two?.release()
    expect(readdirSync(path)).toHaveLength(1)
    four?.release()
    expect(readdirSync(workspace.path('.'))).toEqual([])
  })

  it('stays when it was there before', () => {
    using workspace = openWorkspace()
    mkdirSync(workspace.path('empty'))
    mkdirSync(workspace.path('full'))
    writeFileSync(workspace.path('full/file'), 'x')
    writeFileSync(workspace.path('file'), 'x')
    for (const name of ['empty', 'full', 'file']) {
      const held = reserveName(workspace.path(name))
      expect(held?.path).toBe(workspace.path(name))
      held?.release()
    }
    expect(readdirSync(workspace.path('.')).sort()).toEqual(['empty', 'file', 'full'])
    expect(readdirSync(workspace.path('full'))).toEqual(['file'])
  })

  it('keeps what somebody put there meanwhile', () => {
    using workspace = openWorkspace()
    const held = reserveName(workspace.path('.vscode'))
    writeFileSync(workspace.path('.vscode/settings.json'), '{}')
    held?.release()
    expect(readdirSync(workspace.path('.vscode'))).toEqual(['settings.json'])
  })

  it('goes with the next that lets it go when its holder was killed', () => {
    using workspace = openWorkspace()
    const path = workspace.path('.parley')
    mkdirSync(`${path}/parley-hold-${namespace}-999999999-1-abc`, { recursive: true })
    reserveName(path)?.release()
    expect(readdirSync(workspace.path('.'))).toEqual([])
  })

  it('stays while it may be held from another container', () => {
    using workspace = openWorkspace()
    const path = workspace.path('.parley')
    mkdirSync(`${path}/parley-hold-1-999999999-1-abc`, { recursive: true })
    reserveName(path)?.release()
    expect(readdirSync(path)).toEqual(['parley-hold-1-999999999-1-abc'])
  })

  it('is not held where no folder can be made, which is so for commands as well', () => {
    using workspace = openWorkspace()
    writeFileSync(workspace.path('file'), '')
    expect(reserveName(workspace.path('file/.parley'))).toBeNull()
    expect(() => reserveName(workspace.path('gone/.parley'))).toThrow('cannot be kept')
  })
})
