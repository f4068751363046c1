import { closeSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Parley } from '@parley/client'
import { type Exported, type FrozenPage, missingWords } from '@parley/presentation/items/exported'
import { shownLine } from '@parley/presentation/text/control-characters'
import { countOf, formatBytes } from '@parley/presentation/text/formats'
import type { CompletedItem, ParamsOf } from '@parley/protocol'
import { errorCode, isRecord } from '@parley/text'
import { connect } from '../../cli/connect.ts'
import { exitCodeOf, exitCodes, misused, ParleyError } from '../../cli/exit-codes.ts'
import { newFilePath, workingFolder } from '../../cli/folders.ts'
import type { Launch } from '../../cli/launch-server.ts'
import { formatTime, systemCause } from '../../cli/messages.ts'
import { brokenOutputText } from '../../cli/run-ended.ts'
import { markdownDocument } from '../../view/documents/markdown-document.ts'

const forms = ['html', 'md', 'json'] as const
type Form = (typeof forms)[number]

export interface ExportFlags extends Partial<Readonly<Record<Form, boolean>>> {
  readonly last?: boolean
  readonly output?: string
  /** False leaves out the output of commands and tools. */
  readonly outputs: boolean
}

/** Runs `parley export`: writes a conversation as a page, as Markdown or as JSON, to stdout or to a new file. */
export async function runExport(
  launch: Launch,
  conversation: string | undefined,
  { output, outputs, last, ...chosen }: ExportFlags,
): Promise<number> {
  if (last === true && conversation !== undefined) throw misused('--last names the conversation; leave out the other.')
  const form = formOf(chosen, output)
  const file = output === undefined || output === '-' ? null : newFilePath(output)
  const wanted = conversation === undefined ? { cwd: workingFolder() } : { conversation }
  await using parley = await connect(launch, { clientName: 'parley-export' })
  const exported = await readExported(parley, { ...wanted, withoutOutputs: !outputs }, launch)
  const pieces = piecesOf(form, exported, launch)
  if (file === null) await printPieces(pieces)
  else {
    const sizeBytes = writeNewFile(file, pieces)
    process.stdout.write(`${shownLine(file)}\n`)
    process.stderr.write(`${formatBytes(sizeBytes)}, ${countOf(exported.items.length, 'item')}.\n`)
  }
  for (const words of missingWords(exported)) process.stderr.write(`${words}\n`)
  return exitCodes.ok
}

const extensions: Readonly<Record<string, Form>> = { html: 'html', htm: 'html', md: 'md', markdown: 'md', json: 'json' }

/** Returns the form from a flag, or else from the name of the file. Throws a usage error without one. */
function formOf(chosen: Partial<Record<Form, boolean>>, output: string | undefined): Form {
  const named = forms.filter((form) => chosen[form] === true)
  const [only, another] = named
  if (another !== undefined) throw misused(`Choose one of --html, --md and --json, not ${named.length}.`)
  const form = only ?? extensions[/\.(\w+)$/.exec(output ?? '')?.[1]?.toLowerCase() ?? '']
  if (form === undefined) throw misused('Choose a form: --html, --md or --json.')
  return form
}

const pageSize = 1000

/** Reads all of a conversation, page by page from the newest. */
async function readExported(
  parley: Parley,
  wanted: ParamsOf<'conversation/export'>,
  { program: { version } }: Launch,
): Promise<Exported> {
  const first = await parley.request('conversation/export', { ...wanted, limit: pageSize })
  const { conversationId, core, damagedEvents = 0 } = first
  if (core === undefined) throw new Error('The first page of an export has no state.')
  const pages: (readonly CompletedItem[])[] = [first.items]
  let { more, items } = first
  while (more && items[0] !== undefined) {
    const request = { ...wanted, conversation: conversationId, before: items[0].seq, limit: pageSize }
    ;({ more, items } = await parley.request('conversation/export', request))
    pages.unshift(items)
  }
  const writtenAt = Date.now()
  const times = { begun: formatTime(core.meta.createdAt), written: formatTime(writtenAt) }
  return { core, items: pages.flat(), damagedEvents, program: `parley ${version}`, writtenAt, times }
}

function piecesOf(form: Form, exported: Exported, { program }: Launch): Iterable<string> {
  switch (form) {
    case 'json':
      return jsonDocument(exported)
    case 'md':
      return markdownDocument(exported)
    case 'html':
      return loadFrozenPage(program.moduleUrl).frozenPage(exported)
  }
}

/** Loads the page's document writer, which is built beside the program. */
function loadFrozenPage(moduleUrl: string): FrozenPage {
  const loaded: unknown = createRequire(moduleUrl)('./web/frozen.cjs')
  if (isFrozenPage(loaded)) return loaded
  throw new Error('The page beside this program is of another version.')
}

function isFrozenPage(loaded: unknown): loaded is FrozenPage {
  return isRecord(loaded) && typeof loaded['frozenPage'] === 'function'
}

/** Version of the format, which grows when a field changes its meaning. */
const formatVersion = 1

/** Writes a conversation as one JSON object in pieces, one item on a line: a long conversation does not fit in one string. */
function* jsonDocument({ core, items, damagedEvents, program, writtenAt }: Exported): Generator<string> {
  const damage = damagedEvents === 0 ? {} : { damagedEvents }
  const about = { format: 'parley-export', version: formatVersion, program, writtenAt, ...damage, core }
  yield `${JSON.stringify(about).slice(0, -1)},"items":[`
  for (const [index, item] of items.entries()) yield `${index === 0 ? '\n' : ',\n'}${JSON.stringify(item)}`
  yield '\n]}\n'
}

/** Prints pieces of text as fast as the reader takes them. Rejects with `outputFailed` on a full disk. */
async function printPieces(pieces: Iterable<string>): Promise<void> {
  for (const piece of pieces)
    await new Promise<void>((resolve, reject) => {
      process.stdout.write(piece, (error) => {
        if (error === null || error === undefined) resolve()
        // The program ends by itself when the reader of stdout has closed it.
        else if (errorCode(error) !== 'EPIPE')
          reject(new ParleyError('outputFailed', exitCodeOf('outputFailed'), brokenOutputText(error)))
      })
    })
}

/** Rights of a new file: only its user may read a conversation. */
const ownerOnly = 0o600

/** Writes a new file and returns its size; leaves no file on a failure. Throws `outputFailed`. */
function writeNewFile(path: string, pieces: Iterable<string>): number {
  let isOurs = false
  try {
    const file = openSync(path, 'wx', ownerOnly)
    isOurs = true
    let sizeBytes = 0
    try {
      for (const piece of pieces) {
        writeFileSync(file, piece)
        sizeBytes += Buffer.byteLength(piece)
      }
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    return sizeBytes
  } catch (error) {
    if (isOurs) rmSync(path, { force: true })
    throw notWritten(path, error)
  }
}

function notWritten(place: string, error: unknown): ParleyError {
  return new ParleyError('outputFailed', exitCodeOf('outputFailed'), `${place} was not written: ${systemCause(error)}.`)
}
