import type { Client } from '@parley/client'
import type { Launch } from '../main.ts'
import { joinedLink, type Link, ownLink } from './link.ts'

interface LinkListener {
  readonly onLinked: (link: Link) => void
  readonly onLost: () => void
  readonly onNotice: (message: string, level: 'info' | 'warning' | 'error') => void
}

/** The one way to a server that the window has at a time. */
export class CurrentLink {
  readonly #listener: LinkListener
  #link: Link | null = null
  #closing = false

  constructor(listener: LinkListener) {
    this.#listener = listener
  }

  get client(): Client | null {
    return this.#link?.client ?? null
  }

  /** To a server of our own. */
  async connect(launch: Launch): Promise<Client> {
    return this.#adopt(await ownLink(launch, this.#listener.onNotice)).client
  }

  /** The connection to the process that has the conversation takes the place of ours, whose server may go. */
  async moveTo(client: Client): Promise<Link> {
    const before = this.#link
    if (before?.client === client) return before
    const link = this.#adopt(await joinedLink(client))
    letGo(before)
    return link
  }

  /** What was in use is lost. It may be alive, when the loss was on the way to another one. */
  lose(): void {
    letGo(this.#link)
    this.#link = null
    if (!this.#closing) this.#listener.onLost()
  }

  /** `detached`: the server was told to go on, and is not waited for. */
  async close({ detached }: { readonly detached: boolean }): Promise<void> {
    this.#closing = true
    if (detached) await this.#link?.detach()
    else await this.#link?.[Symbol.asyncDispose]()
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

function letGo(link: Link | null): void {
  void link?.[Symbol.asyncDispose]().then(undefined, () => undefined)
}
