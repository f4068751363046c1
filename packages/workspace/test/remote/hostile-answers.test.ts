import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { diskFiles } from '../../src/files/disk-files.ts'
import type { EnvironmentFiles } from '../../src/files/environment-files.ts'
import { copyTree } from '../../src/look-up/copy-tree.ts'
import type { ExecConnection, ExecInfo } from '../../src/remote/exec-connection.ts'
import type { ExecLink } from '../../src/remote/link.ts'
import { remoteFiles } from '../../src/remote/remote-files.ts'
import { remotePatches } from '../../src/remote/remote-patches.ts'
import { connectRemotePort } from '../../src/remote/remote-port.ts'

/** Link to an exec-server with a fixed answer per method. */
function linkThatAnswers(answers: Readonly<Record<string, unknown>>): Pick<ExecLink, 'ask'> {
  return { ask: ((method: string) => Promise.resolve(answers[method])) as ExecLink['ask'] }
}

describe('wrong answers of an exec-server', () => {
  it.each([
    ['/work/../../etc/passwd', '/etc/passwd'],
    ['file:///work/%2e%2e/etc', '/etc'],
    ['/work//x/./y/', '/work/x/y'],
  ])('a real path of %s is resolved to %s', async (path, meant) => {
    const files = remoteFiles(linkThatAnswers({ 'fs/canonicalize': { path } }))
    expect(await files.realPath('/work/x')).toBe(meant)
  })

  it.each(['', 'work/x', '../x', '/work/\0x'])('%j is rejected as a real path', async (path) => {
    const files = remoteFiles(linkThatAnswers({ 'fs/canonicalize': { path } }))
    await expect(files.realPath('/work/x')).rejects.toThrow('an invalid path')
  })

  it('no file name leads to a write outside the copy', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-lie-'))
    const name = join(folder, 'planted')
    const file = { kind: 'file', sizeBytes: 1 } as const
    const files: EnvironmentFiles = {
      ...diskFiles,
      look: () => Promise.resolve(file),
      open: () =>
        Promise.resolve({
          ...file,
          read: () => Promise.resolve(Buffer.from('x')),
          [Symbol.asyncDispose]: () => Promise.resolve(),
        }),
    }
    const path = `/work/../..${name}`
    await expect(copyTree({ files, cwd: '/work/deep', path, includeIgnored: true })).rejects.toThrow('lies outside')
    await expect(copyTree({ files, cwd: '/work', path, includeIgnored: true })).rejects.toThrow('lies outside')
    expect(existsSync(name)).toBe(false)
    await rm(folder, { recursive: true })
  })

  it('reading a file without end stops at the size limit', async () => {
    const dataBase64 = Buffer.alloc(16 * 1024 * 1024).toString('base64')
    const link = linkThatAnswers({ 'fs/readFile': { dataBase64, sizeBytes: 1, eof: false } })
    await expect(remotePatches(link, remoteFiles(link)).readFile('/work/x')).rejects.toThrow('longer than')
  })

  it.each([-1, 6])('a port that has written %i bytes of five is not written to on', async (writtenBytes) => {
    const answers = { 'port/connect': {}, 'port/read': { chunk: '', ended: true }, 'port/write': { writtenBytes } }
    const info = { capabilities: { ports: true }, sandbox: { sharesLoopback: true } } as ExecInfo
    const link = { ...linkThatAnswers(answers), connection: async () => ({ info }) as ExecConnection }
    const stream = await connectRemotePort(link, { environment: 'box', loopback: 'c', port: 80 })
    const failed = once(stream, 'error')
    stream.write('hello')
    expect(await failed).toMatchObject([{ message: 'it wrote what was not sent' }])
  })

  it('a read returns no more bytes than requested', async () => {
    const answers = {
      'fs/canonicalize': { path: '/work/x' },
      'fs/getMetadata': { isFile: true, isDirectory: false, size: 1 },
      'fs/readFile': { dataBase64: Buffer.alloc(1000).toString('base64'), sizeBytes: 1, eof: true },
    }
    await using file = await remoteFiles(linkThatAnswers(answers)).open('/work/x')
    expect(await file.read(0, 10)).toHaveLength(10)
  })
})
