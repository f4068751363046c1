import type { BackgroundProcess } from '@parley/host'
import type { Facts } from '@parley/policy'
import * as z from 'zod'
import { defineTool, failedLookUp, type ToolPorts } from '../define-tool.ts'
import type { PreparedCall, Tool, ToolContext, ToolOutcome, Workspace } from '../tool.ts'
import { factsOfCommand } from './command-facts.ts'
import type { ShownBytes } from './read-process.ts'
import { unknownProcess } from './stop-process.ts'

const toolName = 'write_process'
const maxLetters = 16 * 1024
/** Bytes that a process has not read yet, from which on it gets no more. */
const maxUnwrittenBytes = 64 * 1024
/** Time that a write waits for the process to read. */
const readMs = 2_000

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
    name: toolName,
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
    facts: (workspace) => factsOfInput(call, workspace, ports),
    async plan(_workspace, facts) {
      // Without facts of a process nothing was decided about one.
      const process = facts.kind === 'processInput' ? running(call.id, ports) : null
      if (process === null) return { problem: unknownProcess(call.id, background).modelText }
      if (background.input(call.id)?.isOpen !== true)
        return {
          problem: `Not written: process ${call.id} takes no input. Only what was started with background: true does.`,
        }
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

function typedText({ text, enter = true }: WriteInput): string {
  return enter ? `${text}\n` : text
}

function running(id: string, { background }: ToolPorts): BackgroundProcess | null {
  return background.list().find((one) => one.id === id && one.end === null) ?? null
}

/** Gathers what the process may do and was started as, and what the text would be to a shell. */
async function factsOfInput(call: WriteInput, workspace: Workspace, ports: ToolPorts): Promise<Facts> {
  const process = running(call.id, ports)
  // Nothing is written then, as the plan says.
  if (process === null) return { kind: 'other', tool: toolName, readOnly: true }
  const { argv, cwd, limits } = process
  const commandOf = (words: readonly string[]) =>
    factsOfCommand({ tool: toolName, argv: words, cwd, escalation: null, background: true }, workspace, ports)
  return {
    kind: 'processInput',
    tool: toolName,
    processId: call.id,
    command: await commandOf(argv),
    written: await commandOf([ports.environment.shell, '-c', call.text]),
    sandbox: limits?.mode ?? 'none',
    ...(limits === null || limits.network ? { network: 'own' as const } : {}),
  }
}

interface WriteParts {
  readonly ports: ToolPorts
  readonly shownBytes: ShownBytes
}

async function write(call: WriteInput, context: ToolContext, { ports, shownBytes }: WriteParts): Promise<ToolOutcome> {
  const { background, clock } = ports
  const { id, size, close } = call
  const stdin = background.input(id)
  if (stdin === null || running(id, ports) === null) return unknownProcess(id, background)
  if (context.signal.aborted) return { status: 'interrupted', modelText: 'Not written: the turn was stopped.' }
  const bytes = Buffer.from(typedText(call))
  if (stdin.unwrittenBytes + bytes.length > maxUnwrittenBytes)
    return failedLookUp(
      `Not written: process ${id} has not read ${stdin.unwrittenBytes} bytes that were written before.`,
    )
  shownBytes.set(id, background.output(id)?.totalBytes ?? 0)
  const isResized = size === undefined || stdin.resize(size)
  const over = new AbortController()
  const written = bytes.length === 0 ? Promise.resolve(true) : stdin.write(bytes)
  const taken = await Promise.race([written, clock.sleep(readMs, over.signal).then(() => null)])
  over.abort()
  const isEnded = close !== true || stdin.end()
  if (taken === false) return failedLookUp(`Not written: process ${id} no longer reads.`)
  const remarks = [
    taken === null ? 'It has not read all of it yet.' : '',
    isResized ? '' : 'It has no terminal that could be resized.',
    isEnded ? '' : 'Its input cannot be ended; a terminal takes "\\u0004" with enter: false.',
  ]
  return {
    status: 'completed',
    modelText: [`Wrote ${bytes.length} bytes to process ${id}.`, ...remarks].filter((text) => text !== '').join(' '),
  }
}
