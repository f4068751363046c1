import { limitDefaults } from '@parley/config/defaults'
import type { CommandEnd, OutputSnapshot } from '@parley/host'
import { secondsText } from '@parley/text'
import * as z from 'zod'
import { binaryWords } from '../contract/command-output.ts'
import { defineTool, type ToolPorts } from '../contract/define-tool.ts'
import type { PreparedCall, Tool, ToolContext, ToolOutcome } from '../contract/tool.ts'
import { type Awaited, awaitOutput } from './await-output.ts'
import { type PickedLines, pickLines } from './output-lines.ts'
import { type OutputPattern, patternHelp, readPattern } from './output-pattern.ts'
import { howItEnded } from './process-end.ts'
import { unknownProcess } from './stop-process.ts'

const maxWaitS = 600

const input = z.object({
  id: z.string().min(1).describe('Background process of this conversation, as shell named it.'),
  tail: z.int().min(1).max(1000).optional().describe(`Newest lines at most. Default ${limitDefaults.processLines}.`),
  search: z
    .string()
    .min(1)
    .optional()
    .describe(`Shows the newest 100 lines with this in place of the newest lines. ${patternHelp}`),
  wait: z
    .object({
      pattern: z
        .string()
        .min(1)
        .optional()
        .describe('Until it prints a line with this, which may be there already. Written as for search.'),
      exit: z.boolean().optional().describe('True without a pattern: until it ends, whatever it prints.'),
      timeout_s: z
        .number()
        .min(0)
        .max(maxWaitS)
        .optional()
        .describe(`Seconds at most. Default ${limitDefaults.processWaitS}.`),
    })
    .optional()
    .describe(
      'Waits first: without pattern and exit for any output. What read_process has shown and what came before the last write_process does not count. Ends when the process ends.',
    ),
})

/**
 * Bytes of each process's output that a wait leaves out: output that the model was shown, or that came before its own
 * writing.
 */
export type ShownBytes = Map<string, number>

type ReadInput = z.infer<typeof input>

/** Shows output of processes that the model itself started, so it needs no approval. */
export function readProcessTool({ background, clock }: ToolPorts, shownBytes: ShownBytes): Tool {
  return defineTool({
    name: 'read_process',
    description:
      'Shows the newest output of a background process, or its lines with a text, and waits for it to print something or to end.',
    readOnly: true,
    input,
    prepare: (call) => {
      const search = call.search === undefined ? null : readPattern(call.search)
      if (search !== null && 'problem' in search) return search
      const pattern = call.wait?.pattern === undefined ? null : readPattern(call.wait.pattern)
      if (pattern !== null && 'problem' in pattern) return pattern
      return prepared(call, (context) => read(call, { search, pattern, shownBytes, background, clock }, context))
    },
  })
}

function prepared(call: ReadInput, run: (context: ToolContext) => Promise<ToolOutcome>): PreparedCall {
  const text = JSON.stringify(call)
  return {
    describe: () => ({ type: 'toolCall', kind: 'read', title: titleOf(call), text: '', input: text }),
    facts: () => Promise.resolve({ kind: 'other', tool: 'read_process', readOnly: true }),
    plan: async () => ({ payload: text, run }),
  }
}

function titleOf({ id, search, wait }: ReadInput): string {
  if (wait?.pattern !== undefined) return `Wait for “${wait.pattern}” from process ${id}`
  if (wait !== undefined) return wait.exit === true ? `Wait for the end of process ${id}` : `Wait for process ${id}`
  return search === undefined ? `Read output of process ${id}` : `Search “${search}” in output of process ${id}`
}

interface ReadParts extends Pick<ToolPorts, 'background' | 'clock'> {
  readonly search: OutputPattern | null
  readonly pattern: OutputPattern | null
  readonly shownBytes: ShownBytes
}

async function read(call: ReadInput, parts: ReadParts, context: ToolContext): Promise<ToolOutcome> {
  const { id, tail, wait } = call
  const { background, search, pattern, shownBytes } = parts
  const { exit = false, timeout_s: timeoutS = limitDefaults.processWaitS } = wait ?? {}
  const { signal } = context
  const wanted = { pattern, exit, timeoutMs: timeoutS * 1000, sinceByte: shownBytes.get(id) ?? 0, signal }
  const found = wait === undefined ? null : await awaitOutput(id, wanted, parts)
  const output = background.output(id)
  const process = background.list().find((one) => one.id === id)
  if (output === null || process === undefined) return unknownProcess(id, background)
  if (search === null) shownBytes.set(id, output.totalBytes)
  const picked = pickLines(output, { search, tail })
  const waited = found === null ? '' : `${waitedWords(found, wanted)}\n`
  const modelText = `${standing(id, process.end, output)}\n${waited}${linesText(output, picked, search)}`
  return { status: found?.kind === 'interrupted' ? 'interrupted' : 'completed', modelText, fields: { text: modelText } }
}

function standing(id: string, end: CommandEnd | null, { totalBytes }: OutputSnapshot): string {
  const how = end === null ? 'runs' : `has ended (${howItEnded(end)})`
  return `Process ${id} ${how}; ${totalBytes} bytes of output.`
}

interface WaitedFor {
  readonly pattern: OutputPattern | null
  readonly exit: boolean
  readonly timeoutMs: number
}

function waitedWords(found: Awaited, { pattern, exit, timeoutMs }: WaitedFor): string {
  const what = pattern === null ? 'anything new' : JSON.stringify(pattern.text)
  switch (found.kind) {
    case 'printed':
      return pattern === null ? 'It has printed something.' : `It has printed ${what}.`
    case 'ended':
      return pattern === null && exit ? 'It has ended.' : `It ended and had not printed ${what}.`
    case 'timedOut':
      return `After ${secondsText(timeoutMs)} it had not ${exit && pattern === null ? 'ended' : `printed ${what}`}.`
    case 'interrupted':
      return 'The wait ended with the turn.'
  }
}

function linesText(output: OutputSnapshot, { lines, of, isText }: PickedLines, search: OutputPattern | null): string {
  if (!isText) return binaryWords(output)
  const texts = lines.map(({ number, text }) => (search === null ? text : `${number}: ${text}`)).join('\n')
  if (search !== null) {
    const gap = output.omittedBytes === 0 ? '' : `; ${output.omittedBytes} bytes in the middle are no longer kept`
    return `[${lines.length} of ${of} lines with ${JSON.stringify(search.text)}${gap}]\n${texts}`
  }
  if (lines.length === 0) return 'It has written nothing so far.'
  return `[lines ${lines[0]?.number} to ${of} of ${of}]\n${texts}`
}
