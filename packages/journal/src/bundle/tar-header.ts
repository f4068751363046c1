/** Header of an entry in a tar archive (ustar), in the one form that this program writes. */

export const TAR_BLOCK_BYTES = 512

/** Bytes of the longest entry: the size has eleven octal digits. */
const MAX_ENTRY_BYTES = 8 ** 11 - 1

const SIZE_AT = 124
const CHECKSUM_AT = 148

/** Returns the block before an entry's bytes. The same name and size always give the same block. */
export function tarHeader(name: string, sizeBytes: number): Buffer {
  if (sizeBytes > MAX_ENTRY_BYTES) throw new RangeError(`${name} has ${sizeBytes} bytes; a bundle takes 8 GiB a file`)
  const block = Buffer.alloc(TAR_BLOCK_BYTES)
  block.write(name, 0)
  block.write(octal(0o600, 7), 100)
  block.write(octal(0, 7), 108)
  block.write(octal(0, 7), 116)
  block.write(octal(sizeBytes, 11), SIZE_AT)
  block.write(octal(0, 11), 136)
  block.fill(' ', CHECKSUM_AT, CHECKSUM_AT + 8)
  block.write('0', 156)
  block.write('ustar\0', 257)
  block.write('00', 263)
  const checksum = block.reduce((sum, byte) => sum + byte, 0)
  block.write(octal(checksum, 6), CHECKSUM_AT)
  block[CHECKSUM_AT + 6] = 0
  return block
}

/** Reads a header. Returns null for any block that `tarHeader` does not write: links, folders and other owners too. */
export function readTarHeader(block: Buffer): { readonly name: string; readonly sizeBytes: number } | null {
  const name = block.toString('latin1', 0, Math.max(0, block.subarray(0, 100).indexOf(0)))
  const sizeBytes = Number.parseInt(block.toString('latin1', SIZE_AT, SIZE_AT + 11), 8)
  if (name === '' || !Number.isSafeInteger(sizeBytes)) return null
  return tarHeader(name, sizeBytes).equals(block) ? { name, sizeBytes } : null
}

/** Returns the number of zero bytes after an entry: entries begin at a block. */
export function paddingAfter(sizeBytes: number): number {
  return (TAR_BLOCK_BYTES - (sizeBytes % TAR_BLOCK_BYTES)) % TAR_BLOCK_BYTES
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0')
}
