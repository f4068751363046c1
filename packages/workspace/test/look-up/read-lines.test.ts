import { execFileSync } from 'node:child_process'
import { symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tempWorkspace } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { diskFiles } from '../../src/files/disk-files.ts'
import { type ReadRequest, readLines } from '../../src/look-up/read-lines.ts'

async function read(folder: string, name: string, options: Partial<ReadRequest> = {}) {
  return await readLines({ files: diskFiles, path: join(folder, name), shownPath: name, ...options })
}

async function messageOf(folder: string, name: string, options: Partial<ReadRequest> = {}): Promise<string> {
  const outcome = await read(folder, name, options)
  return outcome.kind === 'failed' ? outcome.message : ''
}

describe('readLines', () => {
  it('numbers the lines and states the range', async () => {
    await using workspace = await tempWorkspace({ files: { a: 'one\n\ttwo\n' } })
    expect(await read(workspace.path, 'a')).toEqual({
      kind: 'text',
      text: '     1\tone\n     2\t\ttwo\n[lines 1-2 of 2, file of 9 bytes]',
      firstLine: 1,
      lastLine: 2,
      totalLines: 2,
      totalBytes: 9,
      lossy: false,
    })
  })

  it('reads a range and states the offset to continue with', async () => {
    await using workspace = await tempWorkspace({ files: { a: '1\n2\n3\n4\n5\n' } })
    const outcome = await read(workspace.path, 'a', { offset: 2, limit: 2 })
    expect(outcome).toMatchObject({
      text: '     2\t2\n     3\t3\n[lines 2-3 of 5, file of 10 bytes; go on with offset 4]',
    })
  })

  it('reads 2,000 lines or 31 KiB by default', async () => {
    const files = { lines: 'x\n'.repeat(2500), bytes: `${'x'.repeat(1000)}\n`.repeat(100) }
    await using workspace = await tempWorkspace({ files })
    expect(await read(workspace.path, 'lines')).toMatchObject({ lastLine: 2000, totalLines: 2500 })
    expect(await read(workspace.path, 'bytes')).toMatchObject({ lastLine: 31, totalLines: 100 })
  })

  it('clips a long line with a mark', async () => {
    await using workspace = await tempWorkspace({ files: { a: `${'x'.repeat(5000)}\nend` } })
    expect(await read(workspace.path, 'a')).toMatchObject({
      text: `     1\t${'x'.repeat(2000)} [… 3000 more bytes in this line]\n     2\tend\n[lines 1-2 of 2, file of 4.9 KiB]`,
    })
  })

  it('reports CRLF and bytes that are not UTF-8, and hides a byte order mark', async () => {
    const latin = Buffer.from([0x63, 0x61, 0x66, 0xe9])
    await using workspace = await tempWorkspace({ files: { a: '\uFEFFx\r\ny\r\n', latin } })
    const crlf = await read(workspace.path, 'a')
    expect(crlf).toMatchObject({ text: expect.stringContaining('     1\tx\n') })
    expect(crlf).toMatchObject({ text: expect.stringContaining('lines end in CRLF') })
    expect(await read(workspace.path, 'latin')).toMatchObject({
      lossy: true,
      text: expect.stringContaining('not valid UTF-8'),
    })
  })

  it('reports an empty file', async () => {
    await using workspace = await tempWorkspace({ files: { a: '' } })
    expect(await read(workspace.path, 'a')).toMatchObject({ text: '[the file is empty]', firstLine: 0, totalLines: 0 })
  })

  it('rejects a range behind the end and states the number of lines', async () => {
    await using workspace = await tempWorkspace({ files: { a: '1\n2\n' } })
    expect(await messageOf(workspace.path, 'a', { offset: 9 })).toBe('a has 2 lines; line 9 is past its end.')
  })

  it.each([
    ['a PNG image', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')],
    ['binary data', Buffer.from('a\0b')],
    ['UTF-16 text', Buffer.from('\ufeffhello', 'utf16le')],
    ['gzip data', Buffer.from([0x1f, 0x8b, 8, 0])],
  ])('rejects %s with its kind and size', async (kind, bytes) => {
    await using workspace = await tempWorkspace({ files: { x: bytes } })
    const message = await messageOf(workspace.path, 'x')
    expect(message).toBe(`x is not text but ${kind} of ${bytes.length} bytes; it is not shown.`)
  })

  it('rejects a text with binary data in the range', async () => {
    await using workspace = await tempWorkspace({ files: { x: `${'x\n'.repeat(9000)}\0\n` } })
    expect(await messageOf(workspace.path, 'x', { offset: 8999 })).toContain('binary data')
    expect(await read(workspace.path, 'x')).toMatchObject({ kind: 'text' })
  })

  it('reads a text that begins with a format signature', async () => {
    await using workspace = await tempWorkspace({ files: { x: 'GIF8 is how a GIF begins\n' } })
    expect(await read(workspace.path, 'x')).toMatchObject({ kind: 'text' })
  })

  it('suggests similar files, or names the missing folder', async () => {
    await using workspace = await tempWorkspace({ files: { 'src/parser.ts': '', 'src/README': '' } })
    expect(await messageOf(workspace.path, 'src/parsr.ts')).toBe(
      'src/parsr.ts does not exist. Similar names there: parser.ts.',
    )
    expect(await messageOf(workspace.path, 'scr/deep/x.ts')).toBe(
      `scr/deep/x.ts does not exist. The folder ${workspace.path}/scr does not exist either. Similar names there: src/.`,
    )
  })

  it('rejects folders, links and pipes', async () => {
    await using workspace = await tempWorkspace({ files: { 'd/x': 'x' } })
    await symlink('d/x', join(workspace.path, 'link'))
    execFileSync('mkfifo', [join(workspace.path, 'pipe')])
    expect(await messageOf(workspace.path, 'd')).toBe('d is a folder; list it instead.')
    expect(await messageOf(workspace.path, 'pipe')).toContain('neither a file nor a folder')
    expect(await messageOf(workspace.path, 'link')).toContain('cannot be read')
  })

  it('does not follow a link in a folder of its path', async () => {
    await using workspace = await tempWorkspace({ files: { 'd/x': 'x' } })
    await symlink('d', join(workspace.path, 'link'))
    expect(await messageOf(workspace.path, 'link/x')).toContain('leads somewhere else')
  })

  it('does not count the lines of a huge file, even with a huge first line', async () => {
    await using workspace = await tempWorkspace()
    const path = join(workspace.path, 'huge')
    await writeFile(path, 'a\nb\n'.repeat(8192))
    await truncate(path, 3 * 1024 ** 3)
    const outcome = await read(workspace.path, 'huge', { limit: 3 })
    expect(outcome).toMatchObject({ lastLine: 3, totalLines: null, totalBytes: 3 * 1024 ** 3 })
    expect(outcome).toMatchObject({
      text: expect.stringContaining('[lines 1-3, file of 3.0 GiB; go on with offset 4]'),
    })
  })

  it('stops on abort', async () => {
    await using workspace = await tempWorkspace({ files: { a: 'x' } })
    expect(await messageOf(workspace.path, 'a', { signal: AbortSignal.abort() })).toContain('interrupted')
  })
})
