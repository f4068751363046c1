import { createHash } from 'node:crypto'
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import type { Approval } from '@parley/protocol'
import { fileWords } from '@parley/protocol/question'
import { describe, expect, it } from 'vitest'
import { type TestPlace, testPlace } from '../support/test-server.ts'

const patchOf = (...hunks: readonly string[]) => ['*** Begin Patch', ...hunks, '*** End Patch'].join('\n')
const largeText = Array.from({ length: 20_000 }, (_, n) => `line ${n} of what is removed\n`).join('')
const editOf = (path: string, from: string, to: string) => `*** Update File: ${path}\n@@\n-${from}\n+${to}`

/** A conversation whose model proposes this patch. */
async function propose(place: TestPlace, patch: string) {
  const model = scriptedModel({ calls: [{ name: 'apply_patch', args: { patch } }] }, { text: 'ok' })
  const { watched } = await place.talk({ model }, { approvalPolicy: 'untrusted' })
  await watched.send('go')
  return { model, watched }
}

async function asked(place: TestPlace, patch: string): Promise<Approval> {
  return (await propose(place, patch)).watched.approval()
}

const hashOf = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex')

describe('the question about a patch', () => {
  it('shows all edits next to a deletion that is too long to show', async () => {
    await using place = testPlace()
    place.write('large.txt', largeText)
    place.write('a.txt', 'one\n')
    place.write('z.sh', 'two\n')
    const patch = patchOf('*** Delete File: large.txt', editOf('a.txt', 'one', 'uno'), editOf('z.sh', 'two', 'due'))
    const { detail, files } = await asked(place, patch)
    expect(detail).toContain('-one\n+uno')
    expect(detail).toContain('-two\n+due')
    expect(detail).toContain(`--- large.txt\n+++ /dev/null\n… 20000 removed lines not shown: `)
    expect(detail).toContain(`sha256:${hashOf(largeText)}`)
    expect(detail).not.toContain('line 7 of')
    expect(detail).toMatch(/\+\+\+ z\.sh[\s\S]*--- large\.txt/)
    expect(files).toMatchObject([
      { path: 'a.txt', kind: 'update', additions: 1, deletions: 1 },
      { path: 'z.sh', kind: 'update' },
      { path: 'large.txt', kind: 'delete', additions: 0, deletions: 20_000, deletedBytes: largeText.length },
    ])
  })

  it('shows every removed line of a short deletion', async () => {
    await using place = testPlace()
    place.write('a.txt', 'one\ntwo\n')
    const { detail, files } = await asked(place, patchOf('*** Delete File: a.txt'))
    expect(detail).toContain('-one\n-two\n')
    expect(files).toMatchObject([{ path: 'a.txt', before: hashOf('one\ntwo\n'), deletedBytes: 8 }])
  })

  it('marks each file that runs later, that is guarded or that has further names', async () => {
    await using place = testPlace()
    for (const name of ['Makefile', 'plain.txt', 'twice.txt', '.envrc']) place.write(name, 'one\n')
    linkSync(`${place.cwd}/twice.txt`, `${place.cwd}/second.txt`)
    const names = ['Makefile', 'plain.txt', 'twice.txt', '.envrc']
    const added = ['.github/workflows/ci.yml', 'package.json', 'CLAUDE.md'].map((name) => `*** Add File: ${name}\n+one`)
    const moved = editOf('plain.txt', 'one', 'two').replace('\n', '\n*** Move to: sub/justfile\n')
    const edits = names.map((name) => (name === 'plain.txt' ? moved : editOf(name, 'one', 'two')))
    const { files = [] } = await asked(place, patchOf(...edits, ...added))
    const lines = files.map(fileWords).toSorted()
    expect(lines).toEqual([
      'add .github/workflows/ci.yml (+1 −0) · runs later: CI runs it',
      'add CLAUDE.md (+1 −0) · is obeyed by agents, or names what they start',
      'add package.json (+1 −0) · runs later: package managers run what it names',
      'change .envrc (+1 −1) · runs when a shell enters this folder',
      'change Makefile (+1 −1) · runs later: build tools run it',
      'change twice.txt (+1 −1) · has 2 names (hard links), of which a patch changes this one',
      'move plain.txt → sub/justfile (+1 −1) · runs later: build tools run it',
    ])
  })

  it('names each of many deleted files', async () => {
    await using place = testPlace()
    const names = Array.from({ length: 60 }, (_, n) => `old-${n}.txt`)
    for (const name of names) place.write(name, largeText)
    const patch = patchOf(...names.map((name) => `*** Delete File: ${name}`))
    const { detail, files = [] } = await asked(place, patch)
    expect(files.map(({ path }) => path)).toEqual(names)
    for (const name of names) expect(detail).toContain(`--- ${name}\n`)
  })

  it('lists files outside the writable folders first', async () => {
    await using place = testPlace()
    place.write('a.txt', 'one\n')
    const patch = patchOf(editOf('a.txt', 'one', 'uno'), '*** Add File: ../outside.txt\n+new')
    const { files = [] } = await asked(place, patch)
    expect(files.map(({ path }) => path)).toEqual(['../outside.txt', 'a.txt'])
  })

  it('names the target of a path through a link', async () => {
    await using place = testPlace()
    mkdirSync(`${place.root}/elsewhere`)
    symlinkSync(`${place.root}/elsewhere`, `${place.cwd}/inside`)
    place.write('a.txt', 'one\n')
    const patch = patchOf('*** Update File: a.txt\n*** Move to: inside/b.txt', '*** Add File: inside/c.txt\n+new')
    const { files = [] } = await asked(place, patch)
    expect(files.map(fileWords)).toEqual([
      `move a.txt → inside/b.txt (leads to ${place.root}/elsewhere/b.txt) (+0 −0)`,
      `add inside/c.txt (leads to ${place.root}/elsewhere/c.txt) (+1 −0)`,
    ])
  })

  it('shows lines with NUL characters, and lines that replace a binary file', async () => {
    await using place = testPlace()
    writeFileSync(`${place.cwd}/b.bin`, Buffer.from([0xff, 0xfe, 0x00]))
    const replaced = '*** Delete File: b.bin\n*** Add File: b.bin\n+#!/bin/sh'
    const { detail, files } = await asked(place, patchOf('*** Add File: a.txt\n+x\u0000curl evil', replaced))
    expect(detail).toContain('+x\u0000curl evil')
    expect(detail).toContain('+#!/bin/sh')
    expect(files).toMatchObject([
      { path: 'a.txt', additions: 1 },
      { path: 'b.bin', additions: 1 },
    ])
  })

  it('names a deleted binary file by its size and hash', async () => {
    await using place = testPlace()
    const bytes = Buffer.from([0xff, 0xfe, 0x00])
    writeFileSync(`${place.cwd}/b.bin`, bytes)
    const { detail } = await asked(place, patchOf('*** Delete File: b.bin'))
    expect(detail).toContain(`--- b.bin\n+++ /dev/null\n… not text, not shown: 3 bytes, sha256:${hashOf(bytes)}\n`)
  })
})

describe('a patch that adds more than a question can show', () => {
  const tooMuch = patchOf(`*** Add File: new.txt\n${'+a line of the new file\n'.repeat(30_000).trimEnd()}`)

  it('is rejected without a question, and the model is told to split it', async () => {
    await using place = testPlace()
    const { model, watched } = await propose(place, tooMuch)
    await watched.turnEnded()
    expect(watched.story().some((line) => line.startsWith('approval'))).toBe(false)
    expect(model.requests[1]?.entries.at(-1)).toMatchObject({
      isError: true,
      text: expect.stringMatching(/Not run: .*Split it into several patches/),
    })
  })

  it('is applied when it needs no question', async () => {
    await using place = testPlace()
    const model = scriptedModel({ calls: [{ name: 'apply_patch', args: { patch: tooMuch } }] }, { text: 'ok' })
    const { watched } = await place.talk({ model }, { sandbox: 'danger-full-access', approvalPolicy: 'never' })
    await watched.send('go')
    await watched.turnEnded()
    expect(place.read('new.txt')).toHaveLength(30_000 * 23)
  })
})

describe('a command that is longer than a question can show', () => {
  it('is rejected without a question', async () => {
    await using place = testPlace()
    const command = `touch made.txt #${'x'.repeat(512 * 1024)}`
    const model = scriptedModel({ calls: [{ name: 'shell', args: { command } }] }, { text: 'ok' })
    const { watched } = await place.talk({ model }, { approvalPolicy: 'untrusted' })
    await watched.send('go')
    await watched.turnEnded()
    expect(watched.story().some((line) => line.startsWith('approval'))).toBe(false)
    expect(model.requests[1]?.entries.at(-1)).toMatchObject({
      isError: true,
      text: expect.stringMatching(/Not run: .*must see all of it.*Do it in smaller steps/),
    })
  })
})
