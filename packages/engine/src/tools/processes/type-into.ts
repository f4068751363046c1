import type { BackgroundProcess, ProcessInput, TerminalSize } from '@parley/host'
import type { Facts } from '@parley/policy'
import type { Clock } from '../../ports/clock-and-ids.ts'
import type { ToolPorts } from '../contract/define-tool.ts'
import type { Workspace } from '../contract/tool.ts'
import { factsOfCommand } from './command-facts.ts'

/** Name of the tool that types into processes; rules name it for what users type, too. */
export const typingTool = 'write_process'

/** Bytes that a process has not read yet, from which on it gets no more. */
const maxUnwrittenBytes = 64 * 1024
/** Time that a write waits for the process to read. */
const readMs = 2_000

/** Text for a process, and what else is done to its input. */
export interface Typed {
  readonly text: string
  /** False for a text without a line end after it. */
  readonly enter?: boolean | undefined
  /** True to end a piped input after the text. */
  readonly close?: boolean | undefined
  readonly size?: TerminalSize | undefined
  /** True for a text that is a secret. */
  readonly hidden?: true | undefined
}

export function typedText({ text, enter = true }: Pick<Typed, 'text' | 'enter'>): string {
  return enter ? `${text}\n` : text
}

/** Returns why a process takes no such text now, as the end of a sentence, without its full stop; null where it does. */
export function whyNotTyped(stdin: ProcessInput | null, text: string): string | null {
  if (stdin?.isOpen !== true) return 'takes no input. Only what was started with background: true does'
  if (stdin.unwrittenBytes + Buffer.byteLength(text) <= maxUnwrittenBytes) return null
  return `has not read ${stdin.unwrittenBytes} bytes that were written before`
}

export interface Typing {
  readonly isResized: boolean
  readonly isEnded: boolean
  /** Resolves to false when the process no longer reads, and to null when it has not read all of it yet. */
  readonly taken: Promise<boolean | null>
}

/** Types into a process: resizes its terminal, writes the text, and ends its input, as far as that is asked for. */
export function typeInto(stdin: ProcessInput, typed: Typed, { sleep }: Pick<Clock, 'sleep'>): Typing {
  const { size, close, hidden } = typed
  const isResized = size === undefined || stdin.resize(size)
  const bytes = Buffer.from(typedText(typed))
  const written =
    bytes.length === 0 ? Promise.resolve(true) : stdin.write(bytes, hidden === undefined ? {} : { hidden })
  const isEnded = close !== true || stdin.end()
  const over = new AbortController()
  const taken = Promise.race([written, sleep(readMs, over.signal).then(() => null)]).finally(() => over.abort())
  return { isResized, isEnded, taken }
}

/** Returns a background process that runs; null for any other. */
export function runningProcess(id: string, { background }: Pick<ToolPorts, 'background'>): BackgroundProcess | null {
  return background.list().find((one) => one.id === id && one.end === null) ?? null
}

/** Gathers the rights and the command of a process, and the facts of the text as a shell would run it. */
export async function factsOfTyping(
  { id, argv, cwd, limits }: BackgroundProcess,
  text: string,
  { workspace, ports }: { readonly workspace: Workspace; readonly ports: ToolPorts },
): Promise<Facts> {
  const commandOf = (words: readonly string[]) =>
    factsOfCommand({ tool: typingTool, argv: words, cwd, escalation: null, background: true }, workspace, ports)
  return {
    kind: 'processInput',
    tool: typingTool,
    processId: id,
    command: await commandOf(argv),
    written: await commandOf([ports.environment.shell, '-c', text]),
    sandbox: limits?.mode ?? 'none',
    ...(limits === null || limits.network ? { network: 'own' as const } : {}),
  }
}
