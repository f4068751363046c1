import { shownLine, shownName } from '@parley/presentation/text/control-characters'
import { conversationName, count, countOf, formatBytes, shortPath } from '@parley/presentation/text/formats'
import { type ResultOf, shortIdOf } from '@parley/protocol'
import { connect } from '../cli/connect.ts'
import { exitCodes, misused } from '../cli/exit-codes.ts'
import { fromWorkingFolder, newFilePath, userFolder, workingFolder } from '../cli/folders.ts'
import { isAgreed } from '../cli/is-agreed.ts'
import type { Launch } from '../cli/launch-server.ts'

export interface BundleFlags {
  readonly output?: string
  /** False leaves out the output of commands and tools. */
  readonly outputs: boolean
  readonly yes?: boolean
  readonly json?: boolean
}

type Contents = ResultOf<'bundle/describe'>

/** Runs `parley bundle`: lists on stderr the contents of the new file, asks on a terminal, and writes it. */
export async function runBundle(launch: Launch, conversation: string | undefined, flags: BundleFlags): Promise<number> {
  const { output, outputs, yes, json } = flags
  if (output === '-') throw misused('A bundle is written to a file: -o FILE.')
  await using parley = await connect(launch, { clientName: 'parley-bundle' })
  const wanted = conversation === undefined ? { cwd: workingFolder() } : { conversation }
  const request = { ...wanted, withoutOutputs: !outputs }
  const contents = await parley.request('bundle/describe', request)
  const { conversationId } = contents
  const file = newFilePath(output ?? `parley-${shortIdOf(conversationId)}.tar`)
  launch.streams.stderr.write(`${contentLines(contents, flags).map(shownLine).join('\n')}\n`)
  const asks = yes !== true && launch.streams.stdin.isTTY && launch.streams.stderr.isTTY
  if (asks && !(await isAgreed(`Write it to ${shortPath(file, userFolder())}?`))) {
    launch.streams.stderr.write('Not written.\n')
    return exitCodes.ok
  }
  const written = await parley.request('bundle/write', { ...request, conversation: conversationId, file })
  const { sizeBytes, digest } = written
  launch.streams.stdout.write(
    json === true
      ? `${JSON.stringify(written)}\n`
      : `${shownLine(file)}\n${formatBytes(sizeBytes)}, digest ${digest}. \`parley open FILE\` opens it on another machine.\n`,
  )
  return exitCodes.ok
}

function contentLines(contents: Contents, { outputs }: Pick<BundleFlags, 'outputs'>): readonly string[] {
  const { conversationId, name, cwd, events, turns, items, sideFiles, changedEvents, missing } = contents
  const parts = itemNames.flatMap(([type, one, many]) => {
    const number = items[type] ?? 0
    return number === 0 ? [] : [`${count(number)} ${number === 1 ? one : many}`]
  })
  const changed = outputs
    ? `${countOf(changedEvents, 'event')} with secrets that are known by now: marks are in their place`
    : `${countOf(changedEvents, 'event')}: without outputs, and with marks in place of secrets`
  return [
    `${shortIdOf(conversationId)}  ${shownName(conversationName({ name: null, title: name }))}`,
    `  folder   ${shortPath(cwd, userFolder())}`,
    `  holds    ${countOf(turns, 'turn')} in ${countOf(events, 'event')}: ${parts.join(', ')}`,
    `  files    ${count(sideFiles)}: ${outputs ? 'long outputs, ' : ''}long texts, images, instructions (AGENTS.md) and tools`,
    ...(changedEvents === 0 ? [] : [`  changed  ${changed}`]),
    ...missing.map((ref) => `  missing  ${ref}: it was not beside the log`),
    'It names files and folders as they are here. Passwords that no rule knows stay in it: look before you pass it on.',
  ]
}

const itemNames: readonly (readonly [type: string, one: string, many: string])[] = [
  ['userMessage', 'message', 'messages'],
  ['agentMessage', 'answer', 'answers'],
  ['reasoning', 'piece of reasoning', 'pieces of reasoning'],
  ['commandExecution', 'command', 'commands'],
  ['shellCommand', 'command of yours', 'commands of yours'],
  ['fileChange', 'patch', 'patches'],
  ['toolCall', 'other call', 'other calls'],
  ['contextCompaction', 'compaction', 'compactions'],
]

export interface OpenFlags {
  readonly cd?: string
  readonly json?: boolean
}

/** Runs `parley open`: verifies a bundle and makes a conversation from it that works in a folder of this machine. */
export async function runOpen(launch: Launch, path: string, { cd, json }: OpenFlags): Promise<number> {
  await using parley = await connect(launch, { clientName: 'parley-open' })
  const file = fromWorkingFolder(path)
  const opened = await parley.request('bundle/open', { file, cwd: fromWorkingFolder(cd ?? '.') })
  const { shortId, cwd, turns, forkedFrom, warnings } = opened
  for (const warning of warnings) launch.streams.stderr.write(`${shownLine(warning)}\n`)
  launch.streams.stdout.write(
    json === true
      ? `${JSON.stringify(opened)}\n`
      : [
          `${shortId}  ${shownName(conversationName(opened))}`,
          `  ${countOf(turns, 'turn')} of conversation ${forkedFrom == null ? '' : shortIdOf(forkedFrom.id)}, verified; it works in ${shownLine(shortPath(cwd, userFolder()))} from now on.`,
          `  Waiting questions, yeses and messages of the original do not count here. Go on: parley resume ${shortId}`,
          '',
        ].join('\n'),
  )
  return exitCodes.ok
}
