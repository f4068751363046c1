import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { withChecksum } from '@parley/journal'
import type { TestPlace } from './test-server.ts'

const folder = fileURLToPath(new URL('../../fixtures/logs/', import.meta.url))

export interface RecordedLog {
  readonly version: number
  /** Name of its subject, such as `denied-call`. */
  readonly name: string
}

/** Recorded logs of every version. */
export const recordedLogs: readonly RecordedLog[] = readdirSync(folder)
  .filter((name) => /^v\d+$/.test(name))
  .flatMap((name) =>
    readdirSync(join(folder, name)).map((file) => ({ version: Number(name.slice(1)), name: file.slice(0, -6) })),
  )

/** Puts a log into a place with its paths rewritten to it; returns the conversation's id. */
export function placeLog(place: TestPlace, { version, name }: RecordedLog): string {
  const lines = readFileSync(join(folder, `v${version}`, `${name}.jsonl`), 'utf8').split('\n')
  const torn = lines.pop() ?? ''
  const moved = lines.map((line) => resealed(line.replaceAll('/work-folder', place.root)))
  const { conversationId } = JSON.parse(moved[0] ?? '')
  const sideFiles = place.path(conversationId, 'sideFiles')
  mkdirSync(dirname(place.path(conversationId)), { recursive: true, mode: 0o700 })
  mkdirSync(sideFiles, { mode: 0o700 })
  for (const file of readdirSync(join(folder, 'files')))
    copyFileSync(join(folder, 'files', file), join(sideFiles, file))
  writeFileSync(place.path(conversationId), `${moved.join('\n')}\n${torn}`)
  return conversationId
}

function resealed(line: string): string {
  return withChecksum(`${line.slice(0, line.lastIndexOf(',"crc":'))}}`).text
}
