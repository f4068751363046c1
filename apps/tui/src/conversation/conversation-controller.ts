import { type Conversation, isConnectionOver, type Parley } from '@parley/client'
import { isSameNote, type Notice } from '@parley/presentation/notices/notice'
import { RpcError } from '@parley/rpc'
import { ParleyError } from '../cli/exit-codes.ts'
import { overridesOf } from '../cli/flags.ts'
import { workingFolder } from '../cli/folders.ts'
import { existingImages } from '../files/attached-images.ts'
import { loadSettings } from '../programs/load-settings.ts'
import type { Intent, LendingIntent, ReadingIntent, UiAction } from '../ui/state/actions.ts'
import { notOpenNotice } from './greeting-and-farewell.ts'
import { type OpenedConversation, type OpeningIntent, openOrView, openOther, watchOrView } from './open-conversation.ts'
import { EnteredPrompts } from './prompt-history.ts'
import { readBack } from './read-back.ts'
import {
  isTakenFrom,
  note,
  noticeActions,
  type RequestIntent,
  rejectionAction,
  type ShownNotice,
} from './rejected-intent.ts'
import { isDisconnection, runIntent } from './run-intent.ts'
import { lossOf, ServerConnection } from './server-connection.ts'
import { ServerWatch } from './server-watch.ts'
import { type ConversationWindow, openingActions, ShownConversation } from './shown-conversation.ts'
import { fillSearchLater, type StartedConversation, startConversation } from './start-conversation.ts'

/** Intent that a connection to a server is needed for. */
type ServedIntent = Exclude<Intent, LendingIntent | { kind: 'clear' }>

/** Intent that this class carries out; the others are requests, which `runIntent` sends. */
type WindowIntent = Exclude<ServedIntent, RequestIntent>
type WindowIntents = { readonly [Kind in WindowIntent['kind']]: Extract<WindowIntent, { kind: Kind }> }
type WindowHandlers = { readonly [Kind in keyof WindowIntents]: (intent: WindowIntents[Kind]) => void | Promise<void> }

/** Connection and conversation of the window, and the effects of the user's intents on them. */
export class ConversationController implements AsyncDisposable {
  /** Handler of each intent that is no request; an intent without one does not compile. */
  readonly #windowHandlers: WindowHandlers = {
    leave: () => this.#window.onEnd(null),
    detach: () => this.#detach(),
    restart: () => this.#restart(),
    recallAll: () => this.#window.screen.dispatch({ kind: 'recalledAll', prompts: this.#window.prompts.readAll() }),
    findImages: (intent) => this.#findImages(intent),
    listFiles: ({ folder }) => this.#listFiles(folder),
    showTranscript: (intent) => this.#readBack(intent),
    showProcess: (intent) => this.#readBack(intent),
    copy: (intent) => this.#readBack(intent),
    open: (intent) => this.#openOther(intent),
    fork: (intent) => this.#openOther(intent),
    new: (intent) => this.#openOther(intent),
  }
  readonly #window: ConversationWindow
  readonly #server: ServerConnection
  readonly #entered: EnteredPrompts
  readonly #watch: ServerWatch
  readonly #shown: ShownConversation
  #isDetached = false

  constructor(window: ConversationWindow) {
    const { screen } = window
    this.#window = window
    this.#entered = new EnteredPrompts(window.prompts)
    this.#watch = new ServerWatch({
      ping: async () => this.#server.parley?.request('server/diagnostics', {}),
      onHang: (hangs) => screen.dispatch({ kind: 'hangs', hangs }),
      now: () => performance.now(),
    })
    this.#server = new ServerConnection({
      onConnected: ({ server, serverPid }) => screen.dispatch({ kind: 'linked', clientId: server.clientId, serverPid }),
      onLost: ({ reason, text }) => {
        if (text !== undefined) screen.dispatch(note('error', text))
        screen.dispatch({ kind: 'lost', ...(reason === undefined ? {} : { reason }) })
      },
      onNotice: (notice) => this.#hear(notice),
    })
    this.#shown = new ShownConversation(window, { entered: this.#entered, watch: this.#watch, server: this.#server })
  }

  /** Returns the line that says how to come back; null if nothing is kept. */
  get farewell(): string | null {
    return this.#shown.farewell(this.#isDetached)
  }

  /** True if a server that was left could not save all it had accepted. */
  get isUnsaved(): boolean {
    return this.#server.isUnsaved
  }

  /** Connects to a server and opens the conversation of the command line. A rejection ends the program. */
  start(): Promise<void> {
    const { start, extra, launch, onEnd } = this.#window
    const open = async () => {
      const parley = await this.#server.connect(launch)
      await this.#take(await startConversation(parley, start, extra))
      await this.#loadPrograms(parley)
      fillSearchLater(parley)
    }
    return this.#unlessLost(open, onEnd)
  }

  /** Carries out an intent of the user. A rejection is shown on the screen. */
  run(intent: ServedIntent): Promise<void> {
    const { screen } = this.#window
    return this.#unlessLost(
      () => this.#run(intent),
      (rejection) => screen.dispatch(rejectionAction(rejection)),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#shown[Symbol.dispose]()
    this.#watch[Symbol.dispose]()
    await this.#server.close()
  }

  /** Shows a notice. Lets go of a server that another one took the conversation from: a key goes on with it. */
  #hear(notice: ShownNotice): void {
    const shown = this.#shown.conversation?.id
    if (isTakenFrom(notice, shown) && !this.#shown.isFar) this.#server.lose({ reason: 'taken' })
    else this.#window.screen.dispatch(...noticeActions(notice, shown))
  }

  /** Reads the window's part of the user's configuration. If it cannot be read, the usual settings stay. */
  async #loadPrograms(parley: Pick<Parley, 'request'>): Promise<void> {
    const { programs, screen, start, launch } = this.#window
    const load = () => loadSettings(programs, { parley, launch, overrides: overridesOf(start.flags) })
    await this.#unlessLost(load, (rejection) => screen.dispatch(rejectionAction(rejection)))
  }

  async #unlessLost(act: () => Promise<void>, onRejection: (rejection: RpcError) => void): Promise<void> {
    try {
      await act()
    } catch (error) {
      if (isConnectionOver(error)) this.#server.lose(lossOf(error))
      else if (error instanceof RpcError) onRejection(error)
      else if (!isDisconnection(error)) throw error
    }
  }

  async #run(intent: ServedIntent): Promise<void> {
    if (this.#isOfWindow(intent)) return await this.#actOn(intent.kind, intent)
    const { parley } = this.#server
    if (parley === null) return
    this.#entered.enter(intent)
    const dispatch = (...actions: readonly UiAction[]) => this.#window.screen.dispatch(...actions)
    const context = { parley, conversation: this.#shown.conversation, dispatch, isFar: this.#shown.isFar }
    await this.#watch.during(runIntent(intent, context))
  }

  #isOfWindow(intent: ServedIntent): intent is WindowIntent {
    return Object.hasOwn(this.#windowHandlers, intent.kind)
  }

  #actOn<Kind extends WindowIntent['kind']>(kind: Kind, intent: WindowIntents[Kind]): void | Promise<void> {
    return this.#windowHandlers[kind](intent)
  }

  async #readBack(intent: ReadingIntent): Promise<void> {
    const { screen, terminal } = this.#window
    if (this.#server.parley !== null)
      await readBack(intent, { conversation: this.#shown.conversation, screen, terminal })
  }

  async #openOther(intent: OpeningIntent): Promise<void> {
    const { parley } = this.#server
    if (parley !== null)
      await this.#show(await openOther(parley, intent, this.#openingContext(this.#shown.conversation)))
  }

  #openingContext(before: Conversation | null) {
    const { start, extra } = this.#window
    return { flags: start.flags, extra, before, onlyWatches: this.#shown.onlyWatches }
  }

  /** Looks for pasted images on this machine, below the conversation's folder if their paths are relative. */
  #findImages({ pasted, readings }: Extract<Intent, { kind: 'findImages' }>): void {
    const paths = existingImages(readings, this.#shown.conversation?.summary.cwd ?? workingFolder())
    if (paths.length > 0) this.#window.screen.dispatch({ kind: 'imagesFound', pasted, paths })
  }

  /** Lists files in this process: the folder is on this machine, and the list is for this window only. */
  async #listFiles(folder: string): Promise<void> {
    const { launch, screen } = this.#window
    const { listFiles, listingCommand } = await import('../files/list-files.ts')
    const command = listingCommand(launch.program.moduleUrl)
    await listFiles({ command, folder, onFiles: (files) => screen.dispatch({ kind: 'filesListed', files }) })
  }

  /** Leaves, and lets a turn go on. Nothing is detached in a conversation that takes no changes from here. */
  async #detach(): Promise<void> {
    const conversation = this.#shown.conversation
    if (conversation !== null && !conversation.readOnly) {
      await conversation.detach()
      this.#isDetached = true
    }
    this.#window.onEnd(null)
  }

  /** Connects anew and opens the same conversation: in a server of this program, or where others have it open by now. */
  async #restart(): Promise<void> {
    const parley = await this.#connectAnew()
    if (parley === null) return
    const before = this.#shown.conversation
    if (before === null) return this.#take(await startConversation(parley, this.#window.start, this.#window.extra))
    const isKept = !this.#shown.isEphemeral && before.state.core.seq > 0
    if (!isKept) return this.#show(await openOther(parley, { kind: 'new' }, this.#openingContext(before)))
    if (!this.#shown.onlyWatches) return this.#show(await openOrView(parley, before.id))
    const opened = await watchOrView(parley, before.id)
    return opened.conversation.attached ? this.#show(opened) : this.#keepWaiting(opened.notices)
  }

  /** Connects to a new server, in place of one that hangs. Null if it does not start: the reason is shown, and the text stays. */
  async #connectAnew(): Promise<Parley | null> {
    const { launch, screen } = this.#window
    await this.#server.abandon()
    try {
      return await this.#server.connect({ ...launch, early: null })
    } catch (error) {
      if (!(error instanceof ParleyError)) throw error
      const loss = lossOf(error)
      if (loss.text === undefined) screen.dispatch(note('error', error.message))
      this.#server.lose(loss)
      return null
    }
  }

  /** Keeps the screen of a window that only watches until another process has the conversation open: `r` tries again. */
  #keepWaiting(notices: readonly Notice[]): void {
    const { screen } = this.#window
    const last = screen.ui.notices.at(-1)
    const unsaid = (notices.length > 0 ? notices : [notOpenNotice]).filter((notice) => !isSameNote(notice, last))
    screen.dispatch(...openingActions(unsaid))
    this.#server.lose()
  }

  async #take(started: StartedConversation): Promise<void> {
    if (started.kind === 'open') await this.#show(started)
    else this.#window.screen.dispatch(started)
  }

  async #show(opened: OpenedConversation): Promise<void> {
    await this.#shown.show(opened)
    void this.run({ kind: 'listParts', folder: opened.conversation.state.core.meta.cwd })
  }
}
