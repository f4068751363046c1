const fixedBytes = 40
/** Bytes of an object's name: sha1, or sha256. */
const objectBytes = [20, 32] as const
const kinds = { file: 0o10, link: 0o12, submodule: 0o16, folder: 0o04 } as const
const knownKinds: readonly number[] = Object.values(kinds)

/**
 * Returns the names of the files in an index of git, versions 2 to 4, without links and submodules; null for anything else. The
 * names of a split index that its own file does not have are missing.
 */
export function readIndexNames(bytes: Buffer): readonly string[] | null {
  if (bytes.length < 12 || bytes.toString('latin1', 0, 4) !== 'DIRC') return null
  const head = { version: bytes.readUInt32BE(4), entries: bytes.readUInt32BE(8) }
  if (head.version < 2 || head.version > 4) return null
  for (const size of objectBytes) {
    const names = namesOf(bytes, head, size)
    if (names !== null) return names
  }
  return null
}

interface Head {
  readonly version: number
  readonly entries: number
}

function namesOf(bytes: Buffer, { version, entries }: Head, objectSize: number): readonly string[] | null {
  const names: string[] = []
  let at = 12
  let before: Buffer = Buffer.alloc(0)
  for (let count = 0; count < entries; count += 1) {
    const flags = at + fixedBytes + objectSize
    if (flags + 4 > bytes.length) return null
    const kind = bytes.readUInt32BE(at + 24) >>> 12
    if (!knownKinds.includes(kind)) return null
    const isExtended = (bytes.readUInt16BE(flags) & 0x4000) !== 0
    const start = flags + (isExtended ? 4 : 2)
    const read = version === 4 ? packedName(bytes, start, before) : plainName(bytes, start)
    if (read === null) return null
    // Entries of the earlier versions are filled up to eights, with one NUL at least.
    at = version === 4 ? read.end + 1 : at + (Math.floor((read.end - at) / 8) + 1) * 8
    before = read.name
    if (kind === kinds.file) names.push(read.name.toString('utf8'))
  }
  return names
}

interface ReadName {
  readonly name: Buffer
  /** Place of the NUL behind it. */
  readonly end: number
}

function plainName(bytes: Buffer, start: number): ReadName | null {
  const end = bytes.indexOf(0, start)
  return end <= start ? null : { name: bytes.subarray(start, end), end }
}

/** Reads how many bytes of the name before are dropped, then the rest. */
function packedName(bytes: Buffer, start: number, before: Buffer): ReadName | null {
  let at = start
  let byte = bytes[at] ?? 0
  let dropped = byte & 0x7f
  while ((byte & 0x80) !== 0 && dropped < bytes.length) {
    at += 1
    byte = bytes[at] ?? 0
    dropped = (dropped + 1) * 128 + (byte & 0x7f)
  }
  const end = bytes.indexOf(0, at + 1)
  if (end < 0 || dropped > before.length) return null
  return { name: Buffer.concat([before.subarray(0, before.length - dropped), bytes.subarray(at + 1, end)]), end }
}
