import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { systemErrorCode } from '../../../lookup/system-error.ts'

/**
 * With what is missing on the way when `recursive`; one that is there is then no fault. One folder after the other,
 * since Node's own `recursive` goes on for ever where the parent is there and answers ENOENT, as `/proc` does.
 */
export async function makeFolder(path: string, recursive: boolean): Promise<void> {
  try {
    await mkdir(path)
  } catch (error) {
    if (!recursive) throw error
    const code = systemErrorCode(error)
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return
    const parent = dirname(path)
    if (code !== 'ENOENT' || (await isFolder(parent))) throw error
    await makeFolder(parent, true)
    await makeFolder(path, true)
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (facts) => facts.isDirectory(),
    () => false,
  )
}
