import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { type BundleAbout, type BundleEntry, encodeManifest } from '../../src/bundle/manifest.ts'
import { BundleError, openBundle } from '../../src/bundle/read-bundle.ts'
import { paddingAfter, tarHeader } from '../../src/bundle/tar-header.ts'
import { writeBundle } from '../../src/bundle/write-bundle.ts'
import { nodeFiles } from '../../src/disk/node-files.ts'
import { failNth } from '../faulty-files.ts'
import { logText, SAMPLE_ID, sampleLines } from '../sample-log.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const about: BundleAbout = {
  program: 'parley/1',
  createdAtMs: 1,
  conversationId: SAMPLE_ID,
  name: 'Grüße',
  seq: 3,
  digest: 'd',
  withoutOutputs: false,
  missing: [],
}
const log = Buffer.from(logText(sampleLines(3)))
const output = Buffer.from('a long output\n'.repeat(9))
const refOf = (content: Buffer) => `sha256:${createHash('sha256').update(content).digest('hex')}`

function written(path: string, files = nodeFiles) {
  const sideFiles = () => [{ ref: refOf(output), content: output }]
  return writeBundle(files, path, { log: [log.subarray(0, 9), log.subarray(9)], sideFiles, about: () => about })
}

/** Opens a bundle and unpacks all of it. */
function unpacked(path: string) {
  return openBundle(nodeFiles, path, async (bundle) => {
    const chunks: Buffer[] = []
    await bundle.unpackLog((chunk) => chunks.push(chunk))
    const files = await Promise.all(bundle.sideFiles.map((ref) => bundle.unpackSideFile(ref)))
    return { manifest: bundle.manifest, log: Buffer.concat(chunks), files }
  })
}

interface Member {
  readonly name: string
  readonly content: Buffer
  /** Changes of the manifest's row. */
  readonly row?: Partial<BundleEntry>
}

/** Makes an archive as an attacker can: with right hashes, but not by `writeBundle`. */
function archive(
  members: readonly Member[],
  options: { about?: object; header?: (name: string, size: number) => Buffer } = {},
) {
  const { header = tarHeader } = options
  const rows = members.map(({ name, content, row }) => {
    const stored = gzipSync(content)
    const sha256 = createHash('sha256').update(stored).digest('hex')
    return { stored, entry: { name, storedBytes: stored.length, sizeBytes: content.length, sha256, ...row } }
  })
  const manifest = encodeManifest(
    { ...about, ...options.about },
    rows.map(({ entry }) => entry),
  )
  const pieces = rows.flatMap(({ stored, entry }) => [
    header(entry.name, stored.length),
    stored,
    Buffer.alloc(paddingAfter(stored.length)),
  ])
  const end = [
    tarHeader('manifest.json', manifest.length),
    manifest,
    Buffer.alloc(paddingAfter(manifest.length) + 1024),
  ]
  return Buffer.concat([...pieces, ...end])
}

const logMember: Member = { name: 'log.jsonl.gz', content: log }

/** Long runs change every byte. */
const stride = process.env['PARLEY_LONG_TESTS'] === '1' ? 1 : 9

describe('a bundle', () => {
  it('comes back as it was written', async () => {
    using folder = temporaryFolder()
    const path = join(folder.path, 'a.tar')
    const { sizeBytes } = await written(path)
    expect(readFileSync(path)).toHaveLength(sizeBytes)
    expect(await unpacked(path)).toMatchObject({ manifest: about, log, files: [output] })
  })

  it('never replaces a file, and leaves nothing when the disk fails', async () => {
    using folder = temporaryFolder()
    const path = join(folder.path, 'a.tar')
    writeFileSync(path, 'mine')
    await expect(written(path)).rejects.toMatchObject({ code: 'EEXIST' })
    expect(readFileSync(path, 'utf8')).toBe('mine')
    for (let nth = 1; nth <= 4; nth++) {
      const other = join(folder.path, `b${nth}.tar`)
      await expect(written(other, failNth('write', nth, 'ENOSPC').files)).rejects.toMatchObject({
        name: 'StorageError',
      })
      expect(nodeFiles.list(folder.path)).toEqual(['a.tar'])
    }
  })

  it('of which any byte was changed is refused', { timeout: 60_000 }, async () => {
    using folder = temporaryFolder()
    const path = join(folder.path, 'a.tar')
    await written(path)
    const bytes = readFileSync(path)
    for (let at = 0; at < bytes.length; at += stride) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8))
      writeFileSync(path, changed)
      await expect(unpacked(path), `byte ${at}`).rejects.toThrow(BundleError)
    }
  })

  it('that was cut anywhere, or goes on, is refused', { timeout: 60_000 }, async () => {
    using folder = temporaryFolder()
    const path = join(folder.path, 'a.tar')
    await written(path)
    const bytes = readFileSync(path)
    for (let length = 0; length < bytes.length; length += 7 * stride) {
      writeFileSync(path, bytes.subarray(0, length))
      await expect(unpacked(path), `${length} bytes`).rejects.toThrow(BundleError)
    }
    writeFileSync(path, Buffer.concat([bytes, Buffer.alloc(512)]))
    await expect(unpacked(path)).rejects.toThrow('It goes on after its end.')
  })

  it.each<[string, Buffer, RegExp]>([
    [
      'a way out of the folder',
      archive([logMember, { name: '../../.bashrc', content: output }]),
      /no bundle has: "\.\.\/\.\.\/\.bashrc"/,
    ],
    [
      'an absolute path',
      archive([logMember, { name: '/etc/passwd', content: output }]),
      /no bundle has: "\/etc\/passwd"/,
    ],
    ['one name twice', archive([logMember, logMember]), /holds log\.jsonl\.gz twice/],
    ['no log', archive([]), /has no log\.jsonl\.gz/],
    ['a link', archive([logMember], { header: linkHeader }), /is no bundle/],
    [
      'a side file of another content',
      archive([logMember, { name: `files/${refOf(output).replace(':', '-')}.gz`, content: log }]),
      /is damaged: files/,
    ],
    ['more bytes than it says', archive([{ ...logMember, row: { sizeBytes: 10 } }]), /is damaged: log/],
    [
      'a file larger than any',
      archive([{ ...logMember, row: { sizeBytes: 2 ** 40 } }]),
      /would have 1099511627776 bytes/,
    ],
    ['rows that its files do not have', archive([{ ...logMember, row: { storedBytes: 3 } }]), /do not fit together/],
    ['a newer form', archive([logMember], { about: { bundle: 2 } }), /A newer parley wrote it \(form 2\)/],
  ])('with %s is refused by name', async (_what, bytes, sentence) => {
    using folder = temporaryFolder()
    const path = join(folder.path, 'a.tar')
    writeFileSync(path, bytes)
    await expect(unpacked(path)).rejects.toThrow(sentence)
  })
})

/** Makes the header of a symbolic link with a right checksum. */
function linkHeader(name: string, size: number): Buffer {
  const block = tarHeader(name, size)
  block.write('2', 156)
  block.write('/etc/passwd', 157)
  block.fill(' ', 148, 156)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}
