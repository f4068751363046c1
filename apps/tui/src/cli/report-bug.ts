import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Program } from '../main.ts'

/** Writes down what is needed to find an internal error; returns where. */
export function reportBug(home: string, { version, build }: Program, error: unknown): string {
  const folder = join(home, 'logs')
  const path = join(folder, `crash-${process.pid}-${Date.now()}.txt`)
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const text = `parley ${version} (${build}), Node ${process.version}, ${process.platform}-${process.arch}\n${what}\n`
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(path, text, { mode: 0o600 })
    return path
  } catch {
    process.stderr.write(text)
    return 'the lines above (no file could be written)'
  }
}
