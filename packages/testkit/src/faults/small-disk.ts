import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'

/** Mounts a file system of this size in a new folder, until it is disposed. Returns null where mounting is not allowed. */
export function smallDisk(folder: string, sizeBytes: number): Disposable | null {
  mkdirSync(folder, { mode: 0o700 })
  const options = `size=${sizeBytes},mode=700`
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]).status !== 0) return null
  return { [Symbol.dispose]: () => void spawnSync('umount', ['-l', folder]) }
}
