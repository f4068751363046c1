import { limitDefaults } from '@parley/config/defaults'
import type { ItemId } from '@parley/protocol'
import { clipForModel } from '@parley/text'
import { type ReadOutcome, readLines, readLinesOf } from '@parley/workspace'
import * as z from 'zod'
import { defineTool, failedLookUp, prepareLookUp, type ToolPorts } from './contract/define-tool.ts'
import type { CallFiles, PreparedCall, Tool, ToolContext, ToolOutcome } from './contract/tool.ts'
import { createUnsavedTexts, type UnsavedTexts } from './unsaved-texts.ts'

const outputPrefix = 'output:'
const modelTextLimit = 32 * 1024

const input = z.object({
  path: z.string().min(1).describe('File to read, or "output:<item id>" for the whole output of an earlier command.'),
  offset: z.int().min(1).optional().describe('First line, from 1.'),
  limit: z.int().min(1).max(5000).optional().describe(`Lines at most. Default ${limitDefaults.readLines}.`),
})

export function readFileTool(ports: ToolPorts): Tool {
  const unsaved = createUnsavedTexts(ports)
  return defineTool({
    name: 'read_file',
    description: 'Reads lines of a text file, numbered. Binary files are refused.',
    readOnly: true,
    input,
    prepare: (call) =>
      call.path.startsWith(outputPrefix) ? prepareOutput(call, ports) : prepareFile(call, ports, unsaved),
  })
}

function prepareFile(
  call: z.infer<typeof input>,
  { environment, redaction }: ToolPorts,
  unsaved: UnsavedTexts,
): PreparedCall {
  const { path, offset, limit } = call
  const range = { ...(offset === undefined ? {} : { offset }), ...(limit === undefined ? {} : { limit }) }
  return prepareLookUp({
    tool: 'read_file',
    title: `Read ${path}${offset === undefined ? '' : ` from line ${offset}`}`,
    input: call,
    path,
    line: offset,
    recursive: false,
    environment,
    look: async ({ real, shownPath }, context) => {
      const request = {
        files: environment.files,
        path: real,
        shownPath,
        redactCutLine: redaction.excerpt,
        signal: context.signal,
        ...range,
      }
      const held = await unsaved.read(real, context).catch(() => null)
      return held === null ? readLines(request) : withRemark(await readLinesOf(held, request))
    },
  })
}

const unsavedRemark =
  "[This is the user's editor: it has changes that are not saved. Commands and apply_patch work on the file on disk, which differs; ask the user to save before you change it.]"

function withRemark(outcome: ReadOutcome): ReadOutcome {
  return outcome.kind === 'failed' ? outcome : { ...outcome, text: `${outcome.text}\n${unsavedRemark}` }
}

function prepareOutput(call: z.infer<typeof input>, ports: ToolPorts): PreparedCall {
  const itemId = call.path.slice(outputPrefix.length)
  const text = JSON.stringify(call)
  return {
    describe: () => ({ type: 'toolCall', kind: 'read', title: `Read output of ${itemId}`, text: '', input: text }),
    facts: () => Promise.resolve({ kind: 'other', tool: 'read_file', readOnly: true }),
    plan: async () => ({ payload: text, run: async (context) => readOutput(itemId, call, context, ports) }),
  }
}

function readOutput(
  itemId: ItemId,
  { offset = 1, limit = limitDefaults.readLines }: z.infer<typeof input>,
  { files }: ToolContext,
  ports: ToolPorts,
): ToolOutcome {
  const whole = runningOutput(itemId, ports) ?? finishedOutput(itemId, files)
  if (whole === null) return failedLookUp(`There is no command ${itemId} in this conversation whose output is kept.`)
  const lines = whole.split('\n')
  const shown = lines.slice(offset - 1, offset - 1 + limit)
  const heading = `[lines ${offset} to ${offset - 1 + shown.length} of ${lines.length}]`
  const text = shown.join('\n')
  const clipped = clipForModel(
    { head: text, tail: '', totalBytes: Buffer.byteLength(text), omittedBytes: 0 },
    'ask for fewer lines',
    modelTextLimit - 1024,
  )
  return { status: 'completed', modelText: `${heading}\n${clipped}` }
}

function runningOutput(itemId: ItemId, { background }: ToolPorts): string | null {
  const read = background.read(itemId, { maxBytes: 1 << 20 })
  return read === null ? null : read.bytes.toString()
}

/** Limit of a side file that one call may search. */
const readableBytes = 64 * 1024 * 1024

function finishedOutput(itemId: ItemId, { outputOf, sideFiles }: CallFiles): string | null {
  const output = outputOf(itemId)
  if (output === null) return null
  if (output.file === null) return output.text
  return sideFiles.read(output.file, { offset: 0, length: readableBytes })?.toString() ?? output.text
}
