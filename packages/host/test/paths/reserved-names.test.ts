import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { reserveName, sweepReserved } from '../../src/paths/reserved-names.ts'
import { pidNamespace } from '../../src/system/process-table.ts'
import { openWorkspace } from '../workspace.ts'

const namespace = /\d+/.exec(pidNamespace('self') ?? '')?.[0] ?? ''

describe('a reserved name', () => {
  it('exists until it is released, and leaves nothing', () => {
    using workspace = openWorkspace()
    const held = reserveName(workspace.path('.parley'))
    expect(readdirSync(workspace.path('.'))).toEqual(['.parley'])
    held?.release()
    expect(readdirSync(workspace.path('.'))).toEqual([])
  })

  it('exists until all commands have released it, in any order', () => {
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

  it('stays when it existed before', () => {
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

  it('keeps what another program put there meanwhile', () => {
    using workspace = openWorkspace()
    const held = reserveName(workspace.path('.vscode'))
    writeFileSync(workspace.path('.vscode/settings.json'), '{}')
    held?.release()
    expect(readdirSync(workspace.path('.vscode'))).toEqual(['settings.json'])
  })

  it('is removed at the next release when its holder was killed', () => {
    using workspace = openWorkspace()
    const path = workspace.path('.parley')
    mkdirSync(`${path}/parley-hold-${namespace}-999999999-1-abc`, { recursive: true })
    reserveName(path)?.release()
    expect(readdirSync(workspace.path('.'))).toEqual([])
  })

  it('stays while another container may hold it', () => {
    using workspace = openWorkspace()
    const path = workspace.path('.parley')
    mkdirSync(`${path}/parley-hold-1-999999999-1-abc`, { recursive: true })
    reserveName(path)?.release()
    expect(readdirSync(path)).toEqual(['parley-hold-1-999999999-1-abc'])
  })

  it('is not reserved when no folder can be made, which commands cannot either', () => {
    using workspace = openWorkspace()
    writeFileSync(workspace.path('file'), '')
    expect(reserveName(workspace.path('file/.parley'))).toBeNull()
    expect(() => reserveName(workspace.path('gone/.parley'))).toThrow('cannot be kept')
  })
})

describe('a name that a killed process reserved', () => {
  const gone = '999999999-1-abc'

  function leftBehind() {
    const workspace = openWorkspace()
    const notes = workspace.path('notes')
    mkdirSync(notes)
    return { workspace, notes, note: `${notes}/held-${namespace}-${gone}` }
  }

  it('is removed by the next process, with its note', () => {
    const { workspace, notes, note } = leftBehind()
    using _ = workspace
    const path = workspace.path('.parley')
    mkdirSync(`${path}/parley-hold-${namespace}-${gone}`, { recursive: true })
    writeFileSync(note, `${JSON.stringify(path)}\n`)
    sweepReserved(notes)
    expect(readdirSync(workspace.path('.'))).toEqual(['notes'])
    expect(readdirSync(notes)).toEqual([])
  })

  it('stays when something else was put there, or it was empty before', () => {
    const { workspace, notes, note } = leftBehind()
    using _ = workspace
    mkdirSync(`${workspace.path('.vscode')}/parley-hold-${namespace}-${gone}`, { recursive: true })
    writeFileSync(workspace.path('.vscode/settings.json'), '{}')
    mkdirSync(workspace.path('.idea'))
    writeFileSync(note, ['.vscode', '.idea'].map((name) => `${JSON.stringify(workspace.path(name))}\n`).join(''))
    sweepReserved(notes)
    expect(readdirSync(workspace.path('.')).sort()).toEqual(['.idea', '.vscode', 'notes'])
  })

  it('stays while the process that noted it runs', () => {
    using workspace = openWorkspace()
    const notes = workspace.path('notes')
    mkdirSync(notes)
    const held = reserveName(workspace.path('.parley'), notes)
    expect(readdirSync(notes)).toEqual([expect.stringMatching(/^held-/)])
    sweepReserved(notes)
    expect(readdirSync(workspace.path('.')).sort()).toEqual(['.parley', 'notes'])
    held?.release()
  })
})
