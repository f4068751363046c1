import type { Client } from '@parley/client'
import type { Launch } from '../main.ts'
import { joinedLink, type Link, type OnNotice, ownLink } from './link.ts'

interface LinkListener {
  readonly onLinked: (link: Link) => void
  readonly onLost: () => void
  readonly onNotice: OnNotice
}

const stillSaving = 'Waiting for the server to stop what runs and to save …'
/** How long nothing is said of a server that has not left yet. */
const patienceMs = 2_000

/** The one way to a server that the window has at a time. */
export class CurrentLink {
  readonly #listener: LinkListener
  readonly #closing = new AbortController()
  /** Connections that are being closed or still being made: the program ends after them. */
  readonly #leaving = new Set<Promise<unknown>>()
  #link: Link | null = null

  constructor(listener: LinkListener) {
    this.#listener = listener
  }

  get client(): Client | null {
    return this.#link?.client ?? null
  }

  /** To a server of our own. */
  async connect(launch: Launch): Promise<Client> {
    const linking = ownLink(launch, (notice) => this.#say(notice), this.#closing.signal)
    this.#awaited(linking)
    return this.#adopt(await linking).client
  }

  /** The connection to the process that has the conversation takes the place of ours, whose server may go. */
  async moveTo(client: Client): Promise<Link> {
    const before = this.#link
    if (before?.client === client) return before
    const link = this.#adopt(await joinedLink(client))
    this.#letGo(before)
    return link
  }

  /** What was in use is lost. It may be alive, when the loss was on the way to another one. */
  lose(): void {
    this.#letGo(this.#link)
    this.#link = null
    if (!this.#closing.signal.aborted) this.#listener.onLost()
  }

  /** `detached`: the server was told to go on, and is not waited for. */
  async close({ detached }: { readonly detached: boolean }): Promise<void> {
    this.#closing.abort(new Error('the window was closed'))
    const waiting = setTimeout(() => this.#say({ message: stillSaving, level: 'info' }), patienceMs)
    if (detached) await this.#link?.detach()
    else await this.#link?.[Symbol.asyncDispose]()
    await Promise.allSettled(this.#leaving)
    clearTimeout(waiting)
  }

  /** A window that is being closed shows nothing any more. */
  #say(notice: Parameters<OnNotice>[0]): void {
    if (this.#closing.signal.aborted) process.stderr.write(`parley: ${notice.message}\n`)
    else this.#listener.onNotice(notice)
  }

  #letGo(link: Link | null): void {
    if (link !== null) this.#awaited(link[Symbol.asyncDispose]())
  }

  #awaited(work: PromiseLike<unknown>): void {
    const done = Promise.resolve(work).then(
      () => undefined,
      () => undefined,
    )
    this.#leaving.add(done)
    void done.then(() => this.#leaving.delete(done))
  }

  #adopt(link: Link): Link {
    this.#link = link
    void link.client.closed.then(() => {
      if (this.#link === link) this.lose()
    })
    this.#listener.onLinked(link)
    return link
  }
}
