import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Program } from '../main.ts'

/** Writes down what is needed to find an internal error; returns where. */
export function reportBug(home: string, { version, build }: Program, error: unknown): string {
  const folder = join(home, 'logs')
  const path = join(folder, `crash-${process.pid}-${Date.now()}.txt`)
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const text = `parley ${version} (${build}), Node ${process.version}, ${process.platform}-${process.arch}\n${what}\n`
  try {
    // Not `recursive`: under /proc that goes on for ever. A home without a parent is no home to write to.
    for (const path of [home, folder]) if (!existsSync(path)) mkdirSync(path, { mode: 0o700 })
    writeFileSync(path, text, { mode: 0o600 })
    return path
  } catch {
    process.stderr.write(text)
    return 'the lines above (no file could be written)'
  }
}
