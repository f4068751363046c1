import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeOwnFolder } from '@parley/host'
import { BundleError, createFile, type Files, openBundle, putSideFile, sessionPaths, writeAll } from '@parley/journal'
import type { ParamsOf, ResultOf } from '@parley/protocol'
import type { PolicyPorts } from '../policy/read-rules.ts'
import { findConversation, wantedConversation } from '../read/list-conversations.ts'
import { localCatalogue } from '../read/local-catalogue.ts'
import { invalidParam, rejection } from '../replies/rejection.ts'
import { type Recording, readRecording } from './log/read-recording.ts'
import type { ReplayDifference } from './log/replayed-log.ts'
import { replayRecording } from './replay-recording.ts'

/** Runs a conversation of this home, a log or a bundle again, with the outcomes of its log. */
export async function replayConversation(
  { file, ...wanted }: ParamsOf<'replay/run'>,
  ports: PolicyPorts,
): Promise<ResultOf<'replay/run'>> {
  const { files, home } = ports
  if (file === undefined) {
    const paths = sessionPaths(home, await findConversation(localCatalogue(files, home), wantedConversation(wanted)))
    if (paths === null) throw rejection('conversationNotFound', 'There is no such conversation.')
    return replayed(readRecording(files, paths.log, paths.sideFiles), ports)
  }
  if (files.look(file)?.kind !== 'file') throw invalidParam('file', `There is no file ${file}.`)
  if (file.endsWith('.jsonl')) return replayed(readRecording(files, file), ports)
  const folder = makeOwnFolder('replay')
  try {
    return await replayed(await unpacked(files, file, folder), ports)
  } catch (error) {
    throw error instanceof BundleError ? rejection('badBundle', `${file} was not opened. ${error.message}`) : error
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Unpacks a bundle beside nothing else, and reads its log. Rejects with `BundleError`. */
function unpacked(files: Files, file: string, folder: string): Promise<Recording> {
  return openBundle(files, file, async (bundle) => {
    const log = join(folder, `${bundle.manifest.conversationId}.jsonl`)
    const sideFiles = join(folder, 'files')
    const unpacking = createFile(files, log)
    await bundle.unpackLog((chunk) => writeAll(files, unpacking, chunk)).finally(() => files.close(unpacking))
    for (const ref of bundle.sideFiles) await putSideFile(files, sideFiles, await bundle.unpackSideFile(ref))
    return readRecording(files, log, sideFiles)
  })
}

async function replayed(recording: Recording, ports: PolicyPorts): Promise<ResultOf<'replay/run'>> {
  const { files, home, environments, shellParser } = ports
  const { environment, release } = environments.take({ environment: undefined, config: {} })
  try {
    const replay = await replayRecording(recording, { files, home, tools: { environment, shellParser } })
    const { events, compared, hashes, unhashed, left } = replay
    const [difference = null, ...further] = replay.differences.map(shownDifference)
    return {
      conversationId: recording.conversationId,
      events,
      compared,
      hashes,
      unhashed,
      difference,
      further,
      left,
      notes: [...replay.notes],
    }
  } finally {
    await release()
  }
}

const shownCharacters = 1000

function shownDifference({ seq, what, path = '', logged, replayed: found }: ReplayDifference) {
  const [inLog = '', inReplay = ''] = [logged, found].map((value) => JSON.stringify(value) ?? '')
  const same = [...inLog].findIndex((character, at) => character !== inReplay[at])
  const from = Math.max(0, same - shownCharacters / 4)
  return { seq, what, path, logged: shortened(inLog, from), replayed: shortened(inReplay, from) }
}

/** Returns the part of a long text where it differs. */
function shortened(text: string, from: number): string {
  if (text.length <= shownCharacters) return text
  const end = from + shownCharacters
  return `${from > 0 ? '…' : ''}${text.slice(from, end)}${end < text.length ? '…' : ''}`
}
