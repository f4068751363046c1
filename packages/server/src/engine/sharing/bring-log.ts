import { join } from 'node:path'
import { type Files, openLog, type SessionPaths } from '@parley/journal'
import type { Shipment } from '@parley/store'
import { rejection } from '../../replies/rejection.ts'
import type { Listed } from '../read/catalogue.ts'
import { giveUp } from './sharing.ts'

/** Heals the end of a log and brings its header to this version, as opening it would do: the store keeps both as they are then. */
export async function settleLog(files: Files, { log: path }: SessionPaths): Promise<void> {
  const opened = await openLog(files, path)
  if (opened.readOnly) throw rejection('storageFailed', opened.reason)
  await using log = opened.log
  log.raiseMinReader()
}

interface Sending {
  readonly shipment: Shipment
  readonly listed: Listed
}

/** Sends what the store lacks of a log; lists show the conversation once the store has all of it. */
export async function sendLog(files: Files, { log }: SessionPaths, { shipment, listed }: Sending): Promise<void> {
  try {
    const sizeBytes = files.look(log)?.sizeBytes ?? 0
    shipment.wrote(sizeBytes)
    await shipment.acknowledged(sizeBytes)
    shipment.describe(listed.row, listed.modifiedAtMs)
  } catch (error) {
    await giveUp(shipment)
    throw error
  }
  await shipment.close()
}

/** Syncs a log that was fetched, and removes its mark: without one it is a log of this machine alone. */
export async function keepLog(files: Files, paths: SessionPaths, shipment: Shipment): Promise<void> {
  const { log, sideFiles, acked, folders } = paths
  try {
    const names = files.look(sideFiles) === null ? [] : files.list(sideFiles)
    for (const path of [log, ...names.map((name) => join(sideFiles, name))]) await syncFile(files, path)
    for (const folder of [...(names.length === 0 ? [] : [sideFiles]), ...folders]) await files.syncFolder(folder)
  } finally {
    await shipment.close()
  }
  if (files.look(acked) !== null) files.remove(acked)
}

async function syncFile(files: Files, path: string): Promise<void> {
  const file = files.open(path, 'edit')
  try {
    await files.sync(file)
  } finally {
    files.close(file)
  }
}
