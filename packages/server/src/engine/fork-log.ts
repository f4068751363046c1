import {
  EventLog,
  type Files,
  LogView,
  lineCrc,
  linkSideFiles,
  newHeader,
  type SessionPaths,
  textOf,
} from '@parley/journal'
import { rejection } from './refusal.ts'

interface Fork {
  readonly from: SessionPaths
  readonly to: SessionPaths
  readonly fromId: string
  readonly toId: string
  /** Last event to take over; null for all of them. */
  readonly at: number | null
  readonly home: string
}

/** A new log with the same lines up to a point, numbers and item ids kept, and the same side files. */
export async function forkLog(files: Files, { from, to, fromId, toId, at, home }: Fork): Promise<void> {
  if (files.look(from.log) === null) throw rejection('conversationNotFound', `There is no conversation ${fromId}.`)
  using source = LogView.open(files, from.log)
  const lines = [...source.lines()].filter(({ seq }) => at === null || seq <= at)
  const last = lines.at(-1)
  if (last === undefined || (at !== null && last.seq !== at)) {
    throw rejection(
      'itemNotFound',
      `Conversation ${fromId} has no event ${at ?? 1}; its newest is ${last?.seq ?? 0}.`,
      {
        newest: last?.seq ?? 0,
      },
    )
  }
  await linkSideFiles(files, from.sideFiles, to.sideFiles)
  const header = newHeader(toId, { id: fromId, seq: last.seq, crc: lineCrc(last) })
  await using log = EventLog.create(files, to.log, { header, home })
  log.append(lines.map(textOf))
  await log.synced()
}
