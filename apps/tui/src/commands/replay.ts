import { existsSync } from 'node:fs'
import { showHidden, shownLine } from '@parley/presentation/text/control-characters'
import { count, countOf } from '@parley/presentation/text/formats'
import { type ResultOf, shortIdOf } from '@parley/protocol'
import { connect } from '../cli/connect.ts'
import { type ExitCode, exitCodes } from '../cli/exit-codes.ts'
import { fromWorkingFolder, workingFolder } from '../cli/folders.ts'
import type { Launch } from '../cli/launch-server.ts'

type Replayed = ResultOf<'replay/run'>

export interface ReplayFlags {
  readonly json?: boolean
}

/** Runs `parley replay`: replays a conversation, a log or a bundle with the outcomes of its log. */
export async function runReplay(launch: Launch, wanted: string | undefined, { json }: ReplayFlags): Promise<ExitCode> {
  await using parley = await connect(launch, { clientName: 'parley-replay' })
  const replayed = await parley.request('replay/run', paramsOf(wanted))
  launch.streams.stdout.write(
    json === true
      ? `${JSON.stringify(replayed)}\n`
      : replayLines(replayed)
          .map((line) => `${shownLine(line)}\n`)
          .join(''),
  )
  return replayed.difference === null ? exitCodes.ok : exitCodes.differs
}

/** A word with a slash or an extension of parley is a file, and so is the name of an existing file. */
function paramsOf(wanted: string | undefined) {
  if (wanted === undefined) return { cwd: workingFolder() }
  const isFile = /[/]|\.(?:jsonl|tar)$/.test(wanted) || existsSync(fromWorkingFolder(wanted))
  return isFile ? { file: fromWorkingFolder(wanted) } : { conversation: wanted }
}

function replayLines(replayed: Replayed): readonly string[] {
  const { conversationId, events, compared, hashes, unhashed, difference, further, notes } = replayed
  const requests = unhashed === 0 ? '' : `, ${count(unhashed)} without a hash in the log`
  const differences = difference === null ? [] : [difference, ...further]
  const found = differences.length === 0 ? '' : `, ${countOf(differences.length, 'difference')}`
  return [
    ...differences.flatMap(differenceLines),
    `${difference === null ? 'The same' : 'Not the same'}: ${shortIdOf(conversationId)}, ${count(events)} events${found}`,
    `  made again  ${count(compared)} events, the others came from outside`,
    ...leftLines(replayed),
    `  requests    ${count(hashes)} with the hash of the log${requests}`,
    ...notes.map((note) => `  note        ${note}`),
  ]
}

function leftLines({ left }: Replayed): string[] {
  return left === 0 ? [] : [`  not seen    ${count(left)} events after the last difference`]
}

function differenceLines({ seq, what, path, logged, replayed }: NonNullable<Replayed['difference']>): string[] {
  const values = [logged, replayed].map((value) => (value === '' ? '(nothing)' : showHidden(value)))
  return [
    `Event ${seq}: ${what}`,
    ...(path === '' ? [] : [`  at      ${path}`, `  log     ${values[0]}`, `  replay  ${values[1]}`]),
  ]
}
