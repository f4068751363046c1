import * as z from 'zod'
import { defineTool, failedLookUp, type ToolPorts } from '../contract/define-tool.ts'
import { notStarted, type PreparedCall, type Tool, type ToolContext, type ToolOutcome } from '../contract/tool.ts'
import type { ShownBytes } from './read-process.ts'
import { unknownProcess } from './stop-process.ts'
import { factsOfTyping, runningProcess, typedText, typeInto, typingTool, whyNotTyped } from './type-into.ts'

const maxLetters = 16 * 1024

const input = z.object({
  id: z.string().min(1).describe('Background process of this conversation, as shell named it.'),
  text: z.string().max(maxLetters).describe('What is typed, such as a line for a console.'),
  enter: z.boolean().optional().describe('False to write the text without a line end after it. Default true.'),
  close: z.boolean().optional().describe('True to end its stdin after the text; not with a terminal.'),
  size: z
    .object({ rows: z.int().min(1).max(500), cols: z.int().min(1).max(1000) })
    .optional()
    .describe('New size of its terminal, before the text.'),
})

type WriteInput = z.infer<typeof input>

/** Writes to the stdin of processes that the model started; policy judges it by what these may do. */
export function writeProcessTool(ports: ToolPorts, shownBytes: ShownBytes): Tool {
  return defineTool({
    name: typingTool,
    description:
      'Types into a background process: a line for a console, an answer to its question. Its answer is read with read_process.',
    readOnly: false,
    input,
    prepare: (call) => prepared(call, ports, shownBytes),
  })
}

function prepared(call: WriteInput, ports: ToolPorts, shownBytes: ShownBytes): PreparedCall {
  const { background } = ports
  return {
    describe: () => ({
      type: 'toolCall',
      kind: 'execute',
      title: titleOf(call),
      text: typedText(call),
      input: JSON.stringify(call),
    }),
    async facts(workspace) {
      const process = runningProcess(call.id, ports)
      // Nothing is written then, as the plan says.
      if (process === null) return { kind: 'other', tool: typingTool, readOnly: true }
      return factsOfTyping(process, call.text, { workspace, ports })
    },
    async plan(_workspace, facts) {
      // Without facts of a process nothing was decided about one.
      const process = facts.kind === 'processInput' ? runningProcess(call.id, ports) : null
      if (process === null) return { problem: unknownProcess(call.id, background).modelText }
      const why = whyNotTyped(background.input(call.id), '')
      if (why !== null) return { problem: `Not written: process ${call.id} ${why}.` }
      const { argv, cwd } = process
      return {
        payload: JSON.stringify({ ...call, argv, cwd }),
        run: (context) => write(call, context, { ports, shownBytes }),
      }
    },
  }
}

/** Letters of the text that the title shows. */
const titleLetters = 60

function titleOf({ id, text, close, size }: WriteInput): string {
  const [line = ''] = text.split('\n', 1)
  const shown = line.length > titleLetters || line !== text ? `${line.slice(0, titleLetters)}…` : line
  const more = [
    ...(size === undefined ? [] : [`resizes it to ${size.rows}×${size.cols}`]),
    ...(close === true ? ['ends its input'] : []),
  ]
  return `Write to process ${id}${more.length === 0 ? '' : ` (${more.join(', ')})`}${shown === '' ? '' : `: ${shown}`}`
}

interface WriteParts {
  readonly ports: ToolPorts
  readonly shownBytes: ShownBytes
}

async function write(call: WriteInput, context: ToolContext, { ports, shownBytes }: WriteParts): Promise<ToolOutcome> {
  const { background, clock } = ports
  const { id } = call
  const stdin = background.input(id)
  if (stdin === null || runningProcess(id, ports) === null) return unknownProcess(id, background)
  if (context.signal.aborted) return { ...notStarted, modelText: 'Not written: the turn was stopped.' }
  const text = typedText(call)
  const why = whyNotTyped(stdin, text)
  if (why !== null) return failedLookUp(`Not written: process ${id} ${why}.`)
  shownBytes.set(id, background.output(id)?.totalBytes ?? 0)
  const { isResized, isEnded, taken } = typeInto(stdin, call, clock)
  const isTaken = await taken
  if (isTaken === false) return failedLookUp(`Not written: process ${id} no longer reads.`)
  const remarks = [
    isTaken === null ? 'It has not read all of it yet.' : '',
    isResized ? '' : 'It has no terminal that could be resized.',
    isEnded ? '' : 'Its input cannot be ended; a terminal takes "\\u0004" with enter: false.',
  ]
  return {
    status: 'completed',
    modelText: [`Wrote ${Buffer.byteLength(text)} bytes to process ${id}.`, ...remarks]
      .filter((words) => words !== '')
      .join(' '),
  }
}
