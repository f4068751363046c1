import { type Conversation, isConnectionOver, type Parley } from '@parley/client'
import { isSameNote, type Notice } from '@parley/presentation/notices/notice'
import { RpcError } from '@parley/rpc'
import { ParleyError } from '../cli/exit-codes.ts'
import { overridesOf } from '../cli/flags.ts'
import { workingFolder } from '../cli/folders.ts'
import type { Launch } from '../cli/launch-server.ts'
import { existingImages } from '../files/attached-images.ts'
import { loadSettings } from '../programs/load-settings.ts'
import type { UserPrograms } from '../programs/user-programs.ts'
import type { ConversationScreen } from '../terminal/conversation-screen.ts'
import { isLogGone } from '../ui/outside-changes.ts'
import type { Intent, LendingIntent, ReadingIntent, UiAction } from '../ui/state/actions.ts'
import { partsFolder } from '../ui/update/ask-for-parts.ts'
import { FollowedConversation, openOnScreen } from './followed-conversation.ts'
import { farewell, notOpenNotice } from './greeting-and-farewell.ts'
import {
  type Extra,
  type OpenedConversation,
  type OpeningIntent,
  openOrView,
  openOther,
  watchOrView,
} from './open-conversation.ts'
import { EnteredPrompts, type PromptHistory } from './prompt-history.ts'
import { type ReadingTerminal, readBack } from './read-back.ts'
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
import {
  fillSearchLater,
  type SessionStart,
  type StartedConversation,
  startConversation,
} from './start-conversation.ts'

interface ControllerParts {
  readonly launch: Launch
  readonly start: SessionStart
  readonly extra: Extra
  readonly screen: ConversationScreen
  readonly programs: Pick<UserPrograms, 'load' | 'follow' | 'warn'>
  readonly homeFolder: string
  readonly prompts: PromptHistory
  readonly terminal: ReadingTerminal
  /** Called when the user leaves, or with the rejection of the command line's request. */
  readonly onEnd: (rejection: RpcError | null) => void
}

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
    leave: () => this.#parts.onEnd(null),
    detach: () => this.#detach(),
    restart: () => this.#restart(),
    recallAll: () => this.#parts.screen.dispatch({ kind: 'recalledAll', prompts: this.#parts.prompts.readAll() }),
    findImages: (intent) => this.#findImages(intent),
    listFiles: ({ folder }) => this.#listFiles(folder),
    showTranscript: (intent) => this.#readBack(intent),
    showProcess: (intent) => this.#readBack(intent),
    copy: (intent) => this.#readBack(intent),
    open: (intent) => this.#openOther(intent),
    fork: (intent) => this.#openOther(intent),
    new: (intent) => this.#openOther(intent),
  }
  readonly #parts: ControllerParts
  readonly #server: ServerConnection
  readonly #entered: EnteredPrompts
  readonly #watch: ServerWatch
  #followed: FollowedConversation | null = null
  #isDetached = false

  constructor(parts: ControllerParts) {
    const { screen } = parts
    this.#parts = parts
    this.#entered = new EnteredPrompts(parts.prompts)
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
  }

  /** Returns the line that says how to come back; null if nothing is kept. */
  get farewell(): string | null {
    const conversation = this.#conversation
    if (conversation === null) return null
    const { ui } = this.#parts.screen
    const { summary, state, readOnly, attached } = conversation
    return farewell({
      shortId: summary.shortId,
      state,
      readOnly,
      attached,
      detached: this.#isDetached,
      ephemeral: this.#isEphemeral,
      hasCompany: ui.clientCount > 1,
      isLogGone: isLogGone(ui.lostLog),
      server: this.#parts.launch.server?.urls.join(',') ?? null,
    })
  }

  /** True if a server that was left could not save all it had accepted. */
  get isUnsaved(): boolean {
    return this.#server.isUnsaved
  }

  /** Connects to a server and opens the conversation of the command line. A rejection ends the program. */
  start(): Promise<void> {
    const { start, extra, launch, onEnd } = this.#parts
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
    const { screen } = this.#parts
    return this.#unlessLost(
      () => this.#run(intent),
      (rejection) => screen.dispatch(rejectionAction(rejection)),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#followed?.[Symbol.dispose]()
    this.#watch[Symbol.dispose]()
    await this.#server.close()
  }

  get #conversation(): Conversation | null {
    return this.#followed?.conversation ?? null
  }

  /** Shows a notice. Lets go of a server that another one took the conversation from: a key goes on with it. */
  #hear(notice: ShownNotice): void {
    const shown = this.#conversation?.id
    if (isTakenFrom(notice, shown) && !this.#isFar) this.#server.lose({ reason: 'taken' })
    else this.#parts.screen.dispatch(...noticeActions(notice, shown))
  }

  get #isEphemeral(): boolean {
    return this.#parts.start.flags.ephemeral === true
  }

  get #isFar(): boolean {
    return this.#parts.launch.server !== null
  }

  get #onlyWatches(): boolean {
    const { start } = this.#parts
    return start.kind === 'attach' && start.readOnly
  }

  /** Reads the window's part of the user's configuration. If it cannot be read, the usual settings stay. */
  async #loadPrograms(parley: Pick<Parley, 'request'>): Promise<void> {
    const { programs, screen, start, launch } = this.#parts
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
    const dispatch = (...actions: readonly UiAction[]) => this.#parts.screen.dispatch(...actions)
    const context = { parley, conversation: this.#conversation, dispatch, isFar: this.#isFar }
    await this.#watch.during(runIntent(intent, context))
  }

  #isOfWindow(intent: ServedIntent): intent is WindowIntent {
    return Object.hasOwn(this.#windowHandlers, intent.kind)
  }

  #actOn<Kind extends WindowIntent['kind']>(kind: Kind, intent: WindowIntents[Kind]): void | Promise<void> {
    return this.#windowHandlers[kind](intent)
  }

  async #readBack(intent: ReadingIntent): Promise<void> {
    const { screen, terminal } = this.#parts
    if (this.#server.parley !== null) await readBack(intent, { conversation: this.#conversation, screen, terminal })
  }

  async #openOther(intent: OpeningIntent): Promise<void> {
    const { parley } = this.#server
    if (parley !== null) await this.#show(await openOther(parley, intent, this.#openingContext(this.#conversation)))
  }

  #openingContext(before: Conversation | null) {
    const { start, extra } = this.#parts
    return { flags: start.flags, extra, before, onlyWatches: this.#onlyWatches }
  }

  /** Looks for pasted images on this machine, below the conversation's folder if their paths are relative. */
  #findImages({ pasted, readings }: Extract<Intent, { kind: 'findImages' }>): void {
    const paths = existingImages(readings, this.#conversation?.summary.cwd ?? workingFolder())
    if (paths.length > 0) this.#parts.screen.dispatch({ kind: 'imagesFound', pasted, paths })
  }

  /** Lists files in this process: the folder is on this machine, and the list is for this window only. */
  async #listFiles(folder: string): Promise<void> {
    const { launch, screen } = this.#parts
    const { listFiles, listingCommand } = await import('../files/list-files.ts')
    const command = listingCommand(launch.program.moduleUrl)
    await listFiles({ command, folder, onFiles: (files) => screen.dispatch({ kind: 'filesListed', files }) })
  }

  /** Leaves, and lets a turn go on. Nothing is detached in a conversation that takes no changes from here. */
  async #detach(): Promise<void> {
    const conversation = this.#conversation
    if (conversation !== null && !conversation.readOnly) {
      await conversation.detach()
      this.#isDetached = true
    }
    this.#parts.onEnd(null)
  }

  /** Connects anew and opens the same conversation: in a server of this program, or where others have it open by now. */
  async #restart(): Promise<void> {
    const parley = await this.#connectAnew()
    if (parley === null) return
    const before = this.#conversation
    if (before === null) return this.#take(await startConversation(parley, this.#parts.start, this.#parts.extra))
    const isKept = !this.#isEphemeral && before.state.core.seq > 0
    if (!isKept) return this.#show(await openOther(parley, { kind: 'new' }, this.#openingContext(before)))
    if (!this.#onlyWatches) return this.#show(await openOrView(parley, before.id))
    const opened = await watchOrView(parley, before.id)
    return opened.conversation.attached ? this.#show(opened) : this.#keepWaiting(opened.notices)
  }

  /** Connects to a new server, in place of one that hangs. Null if it does not start: the reason is shown, and the text stays. */
  async #connectAnew(): Promise<Parley | null> {
    const { launch, screen } = this.#parts
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
    const { screen } = this.#parts
    const last = screen.ui.notices.at(-1)
    const unsaid = (notices.length > 0 ? notices : [notOpenNotice]).filter((notice) => !isSameNote(notice, last))
    screen.dispatch(...openingActions(unsaid))
    this.#server.lose()
  }

  async #take(started: StartedConversation): Promise<void> {
    if (started.kind === 'open') await this.#show(started)
    else this.#parts.screen.dispatch(started)
  }

  async #show({ parley: asked, conversation, notices }: OpenedConversation): Promise<void> {
    const { screen, prompts, launch, homeFolder } = this.#parts
    const parley = asked.release(conversation)
    this.#server.moveTo(parley)
    const before = this.#conversation
    const opening = await openOnScreen(
      { parley, conversation, before },
      { screen, homeFolder, version: launch.program.version },
    )
    this.#followed?.[Symbol.dispose]()
    this.#followed = new FollowedConversation(conversation, {
      screen,
      entered: this.#entered,
      programs: this.#parts.programs,
      watch: this.#watch,
      isKept: !this.#isEphemeral,
      onLost: (reason) => this.#server.loseFrom(parley, lossOf(reason)),
    })
    if (before !== conversation) void before?.close().catch(() => undefined)
    const { summary, readOnly, attached } = conversation
    const { conversationId, shortId, cwd, ceiling, storage } = summary
    const { person } = parley.server
    const far = { ...(this.#isFar ? { isFar: true as const } : {}), ...(person === undefined ? {} : { person }) }
    const window = { readOnly, onlyWatches: this.#onlyWatches, attached, ephemeral: this.#isEphemeral, ...far }
    const isSafe = parley.isSafe ? { isSafe: true as const } : {}
    screen.dispatch(...openingActions([...opening, ...notices]), {
      kind: 'opened',
      opened: { conversationId, shortId, ...window, ...isSafe, ...(ceiling === undefined ? {} : { ceiling }) },
      ...(storage?.passing === true ? { storage: storage.errno } : {}),
    })
    screen.dispatch({ kind: 'recalled', prompts: prompts.read(cwd) })
    screen.follow(conversation.state)
    const folder = partsFolder(conversation.state)
    if (folder !== null) void this.run({ kind: 'listParts', folder })
  }
}

function openingActions(notices: readonly Notice[]) {
  return notices.map((notice) => ({ kind: 'notice', notice }) as const)
}
