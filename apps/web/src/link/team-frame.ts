import { pageSocketOf, relayAddress } from '@parley/rpc'
import { openSocket } from './page-transport.ts'

/** Connections to the other servers of the team, including servers that joined after the page was loaded. */
export interface TeamFrame {
  /** Resolves to the origins that `open` can reach by now. Rejects when the server that the page is from does not answer. */
  look(): Promise<readonly string[]>
  /**
   * Opens a websocket to the server of an origin: through the one that the page is from where it cannot be reached from
   * here. Rejects when it cannot be opened in time.
   */
  open(origin: string): Promise<WebSocket>
}

/** Path of the list of servers. Whatever connects from a frame of it has the policy of that moment. */
const listPath = '/servers'
const loadMs = 4_000
/** Time for a server to answer where there is another way to it. */
const directMs = 2_000

type View = WindowProxy & typeof globalThis

interface Frame {
  readonly element: HTMLIFrameElement
  readonly view: View
  readonly text: string
  /** Websocket that was opened last. It ends with the frame. */
  socket: WebSocket | null
}

/** Creates connections from this page: its policy admits its server, a frame's policy the servers of its list. */
export function createTeamFrame(page: View): TeamFrame {
  const { document, location } = page
  let frames: readonly Frame[] = []

  async function look(): Promise<readonly string[]> {
    const response = await page.fetch(listPath, { signal: AbortSignal.timeout(loadMs) })
    if (!response.ok) throw new Error(`The server answers ${response.status}.`)
    if ((await response.text()) !== (frames.at(-1)?.text ?? '')) {
      const newest = await loadFrame(document)
      const unused = frames.filter(({ socket }) => socket === null || socket.readyState === page.WebSocket.CLOSED)
      for (const { element } of unused) element.remove()
      frames = [...frames.filter((frame) => !unused.includes(frame)), newest]
    }
    return frames.at(-1)?.text.split('\n') ?? []
  }

  return {
    look,
    async open(origin) {
      const url = pageSocketOf(origin)
      if (origin === location.origin) return await openSocket(url, page)
      const frame = frames.at(-1)
      const direct = await openSocket(url, frame?.view ?? page, directMs).catch(() => null)
      if (direct === null) return await openSocket(relayAddress(location.origin.replace(/^http/, 'ws'), url), page)
      if (frame !== undefined) frame.socket = direct
      return direct
    },
  }
}

/** Loads the list as a frame that nobody sees. */
async function loadFrame(document: Document): Promise<Frame> {
  const element = document.createElement('iframe')
  element.hidden = true
  element.src = listPath
  const { promise: settled, resolve } = Promise.withResolvers<void>()
  element.addEventListener('load', () => resolve(), { once: true })
  const expired = setTimeout(resolve, loadMs)
  document.body.append(element)
  await settled
  clearTimeout(expired)
  // A browser's error page in place of a document is no document of this origin.
  const view = element.contentDocument?.defaultView
  const text = element.contentDocument?.body.textContent
  if (view != null && text != null && view.location.pathname === listPath) return { element, view, text, socket: null }
  element.remove()
  throw new Error('The list of servers did not come.')
}
