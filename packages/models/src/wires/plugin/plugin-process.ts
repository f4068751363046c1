import type { StreamedProcess } from '@parley/host'
import { isRecord, parseRecord, wellFormedJson } from '@parley/text'
import { type JsonRecord, stringAt } from '../json.ts'
import type { PluginCall } from './write-call.ts'

/** Message of a plug-in's process about one call; null once the process has ended. */
export type CallMessage = JsonRecord | null

/** Request to a plug-in's process: for an answer of a model, or for the list of the models. */
type CallRequest =
  | { readonly type: 'call'; readonly model: string; readonly options: PluginCall }
  | { readonly type: 'list' }

/** Time that a plug-in has to stop a call before its process is killed. */
const cancelMs = 2_000
/** Time limit for loading a package. */
const openMs = 20_000
/** Time without a call after which the process is ended. */
const unusedMs = 5 * 60_000
/** Longest line of a plug-in. */
const maxLineChars = 32 * 1024 * 1024
/** Bytes of requests that a process may leave unread before it is ended. */
const maxUnreadBytes = 64 * 1024 * 1024
/** Characters of stderr that are kept. */
const keptWords = 500

interface RunningCall {
  readonly onMessage: (message: CallMessage) => void
  /** Timer of the kill, once the call was cancelled. */
  readonly kill?: NodeJS.Timeout
}

/** Process that runs the package of a provider, with its calls. */
export class PluginProcess {
  /** Resolves to null when the package is loaded, else to the error. Never rejects. */
  readonly opened: Promise<unknown>
  readonly #child: StreamedProcess
  readonly #calls = new Map<number, RunningCall>()
  readonly #settle: (error: unknown) => void
  #unused: NodeJS.Timeout
  #made = 0
  #words = ''
  /** Pieces of an unfinished line, and their length. */
  #pieces: string[] = []
  #lineChars = 0
  #isRunning: boolean
  #isRetired = false

  /** Opens the package in a process that was started for it. `opening` is the first line for it. */
  constructor(child: StreamedProcess, opening: object) {
    const { promise, resolve } = Promise.withResolvers<unknown>()
    this.opened = promise
    this.#settle = resolve
    this.#child = child
    this.#isRunning = child.pid !== null
    this.#unused = setTimeout(() => this.kill(), unusedMs).unref()
    const late = { message: `it did not load within ${openMs / 1_000} s` }
    const loading = setTimeout(() => this.#refuse(late), openMs).unref()
    void promise.then(() => clearTimeout(loading))
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => this.#read(chunk))
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#words = (this.#words + text).slice(-keptWords)
    })
    void child.ended.then((exit) => this.#atEnd(exit))
    this.#write({ type: 'open', ...opening })
  }

  get isRunning(): boolean {
    return this.#isRunning
  }

  /** Returns how the process ended, with its last text on stderr. */
  get lastWords(): string {
    return this.#words
  }

  /** Starts a call of this type and returns its number. `onMessage` gets its messages in order. */
  call(message: CallRequest, onMessage: (message: CallMessage) => void): number {
    this.#made += 1
    clearTimeout(this.#unused)
    this.#calls.set(this.#made, { onMessage })
    this.#write({ id: this.#made, ...message })
    if (!this.#isRunning) onMessage(null)
    return this.#made
  }

  /** Asks for the end of a call and hears no more of it; kills the process when that end does not come in time. */
  cancel(id: number): void {
    const running = this.#calls.get(id)
    if (running === undefined || running.kill !== undefined) return
    this.#calls.set(id, { onMessage: () => undefined, kill: setTimeout(() => this.kill(), cancelMs).unref() })
    this.#write({ type: 'cancel', id })
  }

  /** Ends the process and, with it, all its calls. */
  kill(): void {
    this.#isRunning = false
    void this.#child.stop(0)
  }

  /** Ends the process when its calls have ended: another one has taken its place. */
  retire(): void {
    this.#isRetired = true
    if (this.#calls.size === 0) this.kill()
  }

  /** Gives up a package that cannot be loaded; the next call starts a process anew. */
  #refuse(error: unknown): void {
    this.#settle(error)
    this.kill()
  }

  /** Writes a message. Kills a package that has left too much unread: it would all stay in memory. */
  #write(message: object): void {
    if ((this.#child.stdin?.writableLength ?? 0) > maxUnreadBytes) {
      this.#words = `${this.#words}\nparley ended it: it reads no requests, and more than 64 MiB of them wait.`.slice(
        -keptWords,
      )
      this.kill()
      return
    }
    this.#child.stdin?.write(`${wellFormedJson(message)}\n`)
  }

  #read(chunk: string): void {
    const [first = '', ...others] = chunk.split('\n')
    this.#pieces.push(first)
    this.#lineChars += first.length
    for (const next of others) {
      const message = parseRecord(this.#pieces.join(''))
      this.#pieces = [next]
      this.#lineChars = next.length
      if (message !== undefined) this.#take(message)
    }
    if (this.#lineChars <= maxLineChars) return
    this.#pieces = []
    this.#lineChars = 0
    this.kill()
  }

  #take(message: JsonRecord): void {
    const { type, id } = message
    if (type === 'ready') this.#settle(null)
    if (type === 'failed') this.#refuse(message['error'])
    const running = typeof id === 'number' ? this.#calls.get(id) : undefined
    if (typeof id !== 'number' || running === undefined) return
    if (type === 'end' || type === 'error') this.#forget(id)
    else if (type !== 'part') return
    running.onMessage(message)
  }

  #forget(id: number): void {
    clearTimeout(this.#calls.get(id)?.kill)
    this.#calls.delete(id)
    if (this.#calls.size > 0) return
    if (this.#isRetired) this.kill()
    else this.#unused = setTimeout(() => this.kill(), unusedMs).unref()
  }

  #atEnd({ exitCode, signal, spawnError }: Awaited<StreamedProcess['ended']>): void {
    this.#isRunning = false
    clearTimeout(this.#unused)
    const plain = signal === null ? `it ended with exit code ${exitCode}` : `it was ended by ${signal}`
    const said = this.#words.trim()
    this.#words = `${spawnError?.message ?? plain}${said === '' ? '' : `. It wrote: ${said}`}`
    this.#settle({ message: this.#words })
    for (const { onMessage, kill } of [...this.#calls.values()]) {
      clearTimeout(kill)
      onMessage(null)
    }
    this.#calls.clear()
  }
}

/** Returns the sentence of an error as the process describes it. */
export function messageOf(error: unknown): string {
  const message = isRecord(error) ? stringAt(error, 'message') : undefined
  return message === undefined || message === '' ? 'it gave no reason' : message
}
