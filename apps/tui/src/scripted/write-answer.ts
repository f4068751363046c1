import { renameSync, writeFileSync } from 'node:fs'

/** Atomically: a reader of the file sees the old text or the whole new one. Returns what went wrong, or null. */
export function writeAnswer(path: string, text: string): string | null {
  const temporary = `${path}.${process.pid}.tmp`
  try {
    writeFileSync(temporary, text.endsWith('\n') ? text : `${text}\n`)
    renameSync(temporary, path)
    return null
  } catch (error) {
    return `the answer could not be written to ${path} (${error instanceof Error ? error.message : String(error)})`
  }
}
