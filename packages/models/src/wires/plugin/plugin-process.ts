import type { StreamedProcess } from '@parley/host'
import { isRecord, type JsonRecord, parseRecord, stringAt } from '../json.ts'

/** Message of a plug-in's process about one call; null once the process has ended. */
export type CallMessage = JsonRecord | null

/** Running process of a plug-in. */
export interface PluginProcess {
  /** Resolves to null when the package is loaded, else to the error. Never rejects. */
  readonly opened: Promise<unknown>
  /** Starts a call. `onMessage` gets its messages in order. */
  call(message: object, onMessage: (message: CallMessage) => void): number
  /** Asks for the end of a call; kills the process when that has not come in time. */
  cancel(id: number): void
  /** Ends the process and, with it, all its calls. */
  kill(): void
  readonly isRunning: boolean
  /** Returns how the process ended and the last of what it wrote to stderr. */
  lastWords(): string
}

/** Time that a plug-in has to stop a call before its process is killed. */
const cancelMs = 2_000
/** Longest line of a plug-in. */
const maxLineChars = 32 * 1024 * 1024
const keptWords = 500
/** Time in which a package has to load. */
const openMs = 20_000
/** Time without a call after which the process is ended. */
const unusedMs = 5 * 60_000

/** Opens a provider in a process that was started for it. */
export function openPlugin(child: StreamedProcess, settings: object): PluginProcess {
  const calls = new Map<number, (message: CallMessage) => void>()
  const kills = new Map<number, NodeJS.Timeout>()
  const { promise: opened, resolve } = Promise.withResolvers<unknown>()
  let made = 0
  let words = ''
  let rest = ''
  let isRunning = child.pid !== null
  let unused = setTimeout(kill, unusedMs).unref()
  const opening = setTimeout(() => refuse({ message: `it did not load within ${openMs / 1_000} s` }), openMs).unref()

  function take(message: JsonRecord): void {
    if (message['type'] === 'ready') resolve(null)
    if (message['type'] === 'failed') refuse(message['error'])
    const { id } = message
    if (typeof id !== 'number') return
    const onMessage = calls.get(id)
    if (message['type'] !== 'part') forget(id)
    onMessage?.(message)
  }

  /** Gives up a package that cannot be loaded; the next call tries anew. */
  function refuse(error: unknown): void {
    resolve(error)
    kill()
  }

  function forget(id: number): void {
    if (calls.size === 1) unused = setTimeout(kill, unusedMs).unref()
    calls.delete(id)
    clearTimeout(kills.get(id))
    kills.delete(id)
  }

  function read(chunk: string): void {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const message = parseRecord(line)
      if (isRecord(message)) take(message)
    }
    if (rest.length > maxLineChars) kill()
  }

  function kill(): void {
    isRunning = false
    void child.stop(0)
  }

  child.stdout?.setEncoding('utf8').on('data', read)
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-keptWords)
  })
  void opened.then(() => clearTimeout(opening))
  void child.ended.then(({ exitCode, signal, spawnError }) => {
    isRunning = false
    clearTimeout(unused)
    clearTimeout(opening)
    const end =
      spawnError?.message ?? (signal === null ? `it ended with exit code ${exitCode}` : `it was ended by ${signal}`)
    words = words.trim() === '' ? end : `${end}. It wrote: ${words.trim()}`
    resolve({ message: words })
    for (const onMessage of [...calls.values()]) onMessage(null)
    calls.clear()
    for (const timer of kills.values()) clearTimeout(timer)
  })
  const write = (message: object) => child.stdin?.write(`${JSON.stringify(message)}\n`)
  write({ type: 'open', ...settings })
  return {
    opened,
    call(message, onMessage) {
      made += 1
      clearTimeout(unused)
      calls.set(made, onMessage)
      write({ type: 'call', id: made, ...message })
      if (!isRunning) onMessage(null)
      return made
    },
    cancel(id) {
      if (!calls.has(id)) return
      calls.set(id, () => undefined)
      kills.set(id, setTimeout(kill, cancelMs).unref())
      write({ type: 'cancel', id })
    },
    kill,
    get isRunning() {
      return isRunning
    },
    lastWords: () => words,
  }
}

/** Returns the sentence of an error as the process describes it. */
export function messageOf(error: unknown): string {
  const message = isRecord(error) ? stringAt(error, 'message') : undefined
  return message === undefined || message === '' ? 'it gave no reason' : message
}
