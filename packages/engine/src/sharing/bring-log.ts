import { join } from 'node:path'
import { type Files, LogView, openLog, readFile, type SessionPaths, textOf } from '@parley/journal'
import { openContentStore } from '@parley/workspace'
import { bringContents, keptContents } from '../history/kept-contents.ts'
import type { Shipment } from '../ports/shared-store.ts'
import { rejection } from '../replies/rejection.ts'
import { giveUp } from './sharing.ts'

/**
 * Heals the end of a log and brings its header to this version, as opening it would do: the store keeps both as they are
 * then. The header of a copy stays as the store has, or had, it.
 */
export async function settleLog(files: Files, { log: path, acked }: SessionPaths): Promise<void> {
  const isCopy = files.look(acked) !== null
  const opened = await openLog(files, path)
  if (opened.readOnly) throw rejection('storageFailed', opened.reason)
  await using log = opened.log
  if (!isCopy) log.raiseMinReader()
}

/** Sends the missing part of a log to the store; lists show its `row` once the store has all of it. */
export async function sendLog(
  files: Files,
  { log }: SessionPaths,
  { shipment, row, modifiedAtMs }: { shipment: Shipment; row: object; modifiedAtMs: number },
): Promise<void> {
  try {
    const sizeBytes = files.look(log)?.sizeBytes ?? 0
    shipment.wrote(sizeBytes)
    await shipment.acknowledged(sizeBytes)
    shipment.describe(row, modifiedAtMs)
  } catch (error) {
    await giveUp(shipment)
    throw error
  }
  await shipment.close()
}

/** Resolves to an earlier content of a file; null where the store does not have it. */
type ReadContent = (hash: string) => Promise<Uint8Array | null>

/** Syncs a fetched log with earlier contents of files, and removes its mark: without one it is a log of this machine alone. */
export async function keepLog(
  files: Files,
  paths: SessionPaths,
  { shipment, content }: { readonly shipment: Shipment; readonly content: ReadContent },
): Promise<void> {
  const { log, sideFiles, acked, folders } = paths
  try {
    await fetchContents(files, paths, content)
    const names = files.look(sideFiles) === null ? [] : files.list(sideFiles)
    for (const path of [log, ...names.map((name) => join(sideFiles, name))]) await syncFile(files, path)
    for (const folder of [...(names.length === 0 ? [] : [sideFiles]), ...folders]) await files.syncFolder(folder)
  } finally {
    await shipment.close()
  }
  if (files.look(acked) !== null) files.remove(acked)
}

/** Fetches the earlier contents of files that a log names, as far as the store has them. */
async function fetchContents(
  files: Files,
  { log, sideFiles, snapshots }: SessionPaths,
  content: ReadContent,
): Promise<void> {
  const { namedIn, listedIn } = keptContents(snapshots)
  const hashes = new Set<string>()
  using view = LogView.open(files, log)
  for (const line of view.lines()) {
    if (line.type !== 'files.changed') continue
    const named = namedIn(Buffer.from(textOf(line)))
    for (const hash of named.hashes) hashes.add(hash)
    for (const name of named.lists)
      for (const hash of listedIn(readFile(files, join(sideFiles, name)) ?? Buffer.from('[]'))) hashes.add(hash)
  }
  await bringContents(hashes, openContentStore(snapshots), content)
}

async function syncFile(files: Files, path: string): Promise<void> {
  const file = files.open(path, 'edit')
  try {
    await files.sync(file)
  } finally {
    files.close(file)
  }
}
