import type { BackgroundProcesses, CommandEnd, ProcessInput } from '@parley/host'
import type { Actor, ItemId, OutputWait, ParamsOf, ResultOf } from '@parley/protocol'
import type { Conversation } from '../conversation/conversation.ts'
import { endWords } from '../core/view/background-left.ts'
import { invalidParam, rejection } from '../replies/rejection.ts'
import type { ToolPorts } from '../tools/contract/define-tool.ts'
import { awaitOutput, type ReadableProcesses, tellWhenPrinted } from '../tools/processes/await-output.ts'
import { pickLines } from '../tools/processes/output-lines.ts'
import { type OutputPattern, readPattern } from '../tools/processes/output-pattern.ts'
import { endedCommand } from '../tools/processes/process-end.ts'

type ReadResult = ResultOf<'conversation/process/read'>

/** Background commands and commands of the user, as clients see them. */
export interface ConversationProcesses {
  /** Returns the number of background processes that run. */
  running(): number
  /** Stops a background command, by its item. Returns false for one that does not run. */
  stop(itemId: ItemId): boolean
  /** Rejects with `processNotFound`, or `invalidParams` for a search that cannot be read. */
  read(params: ParamsOf<'conversation/process/read'>): Promise<ReadResult>
  /** Records that a line is waited for, and has a notice recorded once it is printed. Throws as `read` rejects. */
  tellWhen(
    params: Pick<ParamsOf<'conversation/process/tellWhen'>, 'itemId' | 'pattern'>,
    by: Actor,
  ): ResultOf<'conversation/process/tellWhen'>
  /** Goes on to wait for the lines of a command that an earlier server has started. */
  waitOn(itemId: ItemId): void
}

/** Most lines that users of a conversation wait for. */
const maxWaits = 32

interface ProcessPorts extends Pick<ToolPorts, 'clock' | 'redaction' | 'tellPrinted'> {
  readonly conversation: Pick<Conversation, 'state' | 'record'>
  readonly background: BackgroundProcesses
  /** Commands of the user: all running ones, and the last ended ones. `end` returns null for a running command. */
  readonly own: ReadableProcesses & { end(itemId: ItemId): CommandEnd | null }
  readonly onFault: (fault: unknown) => void
}

export function createConversationProcesses(ports: ProcessPorts): ConversationProcesses {
  const { conversation, background, own, clock, redaction, tellPrinted, onFault } = ports
  const endOf = (itemId: ItemId) => background.list().find(({ id }) => id === itemId)?.end ?? own.end(itemId)
  const runningOnes = () => background.list().filter(({ end }) => end === null)
  const signal = new AbortController().signal
  const waitFor = (wait: OutputWait, pattern: OutputPattern) => {
    const { itemId, fromByte: sinceByte } = wait
    const tell = (_: ItemId, line: string) => tellPrinted(itemId, line, wait)
    tellWhenPrinted(itemId, { pattern, sinceByte }, { background: holderOf(itemId, ports), clock, tellPrinted: tell })
  }
  return {
    running: () => runningOnes().length,
    stop(itemId) {
      const isRunning = runningOnes().some(({ id }) => id === itemId)
      if (isRunning) background.stop(itemId).catch(onFault)
      return isRunning
    },
    async read({ itemId, tail, search: searchText, changedFrom: sinceByte = 0, waitMs = 0 }) {
      const search = searchText === undefined ? null : patternOf(searchText, 'search')
      const processes = holderOf(itemId, ports)
      const wanted = { pattern: null, exit: false, timeoutMs: waitMs, sinceByte, signal }
      if (waitMs > 0) await awaitOutput(itemId, wanted, { background: processes, clock })
      const output = processes.output(itemId)
      if (output === null) throw unknownProcess(itemId)
      const { lines, of, isText } = pickLines(output, { search, tail })
      const end = endOf(itemId)
      return {
        end: end === null ? null : endWords(endedCommand(itemId, end)),
        ...inputKind(background.input(itemId)),
        totalBytes: output.totalBytes,
        omittedBytes: output.omittedBytes,
        ...(isText ? {} : { binary: true as const }),
        // A secret that was learned after the line had come is in memory as it was.
        lines: lines.map(({ number, text }) => ({ number, text: redaction.text(text) })),
        of,
      }
    },
    tellWhen({ itemId, pattern: text }, by) {
      const pattern = patternOf(text, 'pattern')
      const fromByte = holderOf(itemId, ports).output(itemId)?.totalBytes ?? 0
      const { waits = [] } = conversation.state.core
      if (waits.length >= maxWaits) throw invalidParam('pattern', `${maxWaits} lines are waited for already.`)
      if (endOf(itemId) !== null) return {}
      conversation.record({ type: 'waits.changed', waits: [...waits, { itemId, pattern: text, fromByte }], by })
      // Taken from the log, since the end of the wait finds it by this form: a secret in the pattern is a mark there.
      const wait = conversation.state.core.waits?.at(-1)
      if (wait !== undefined) waitFor(wait, pattern)
      return {}
    },
    waitOn(itemId) {
      for (const wait of conversation.state.core.waits ?? []) {
        const pattern = readPattern(wait.pattern)
        if (wait.itemId === itemId && !('problem' in pattern)) waitFor(wait, pattern)
      }
    },
  }
}

function inputKind(stdin: ProcessInput | null): Pick<ReadResult, 'input'> {
  return stdin?.isOpen === true ? { input: stdin.isTerminal ? 'terminal' : 'pipe' } : {}
}

function holderOf(itemId: ItemId, { background, own }: Pick<ProcessPorts, 'background' | 'own'>): ReadableProcesses {
  const holder = [background, own].find((processes) => processes.output(itemId) !== null)
  if (holder === undefined) throw unknownProcess(itemId)
  return holder
}

function unknownProcess(itemId: ItemId) {
  return rejection(
    'processNotFound',
    `No command ${itemId} runs in the background here, or it ended and its output is no longer in memory. The transcript has what was kept of it.`,
  )
}

function patternOf(text: string, field: 'search' | 'pattern'): OutputPattern {
  const pattern = readPattern(text)
  if ('problem' in pattern) throw invalidParam(field, pattern.problem)
  return pattern
}
