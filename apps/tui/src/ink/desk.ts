import type { ConversationEvent } from '@parley/protocol'
import { ConnectionClosedError, RpcError } from '@parley/rpc'
import type { Launch } from '../cli/launch-server.ts'
import type { ScreenController } from '../screen/screen-controller.ts'
import type { Intent } from '../ui/actions.ts'
import type { Notice } from '../ui/notices/notice.ts'
import { isLogGone } from '../ui/outside-changes.ts'
import { countClients } from './count-clients.ts'
import { CurrentLink } from './current-link.ts'
import { farewell } from './farewell.ts'
import { type OpenedConversation, openedBy, openOrJoin, watch } from './open-conversation.ts'
import { isWanted, openWanted, type Wanted } from './open-wanted.ts'
import { noticeSaid, perform, type Request, refusalSaid } from './perform.ts'
import type { PromptHistory } from './prompt-history.ts'
import { recordedPrompt } from './recorded-prompt.ts'
import { earlierNote, greeting, openSession, readBranch, type Session, weaknessOf } from './session.ts'
import { type Begun, begin, createConversation, type Extra, type Start } from './start.ts'

export interface DeskParts {
  readonly launch: Launch
  readonly start: Start
  readonly extra: Extra
  readonly stage: ScreenController
  readonly homeFolder: string
  readonly prompts: PromptHistory
  /** The user leaves, or what the command line asked for was refused. */
  readonly onEnd: (rejection: RpcError | null) => void
}

const nobodyHasIt: Notice = {
  kind: 'note',
  level: 'info',
  text: 'Nobody has this conversation open yet, and this window only watches.',
}

/** The way to a server and the conversation that is open by it. */
export class Desk implements AsyncDisposable {
  readonly #parts: DeskParts
  readonly #link: CurrentLink
  #session: Session | null = null
  #counting: Disposable | null = null
  #context: object | null = null
  #detached = false
  /** What was sent from here and is not known to be recorded. */
  readonly #typed = new Set<string>()

  constructor(parts: DeskParts) {
    this.#parts = parts
    const { stage } = parts
    this.#link = new CurrentLink({
      onLinked: ({ client, serverPid }) =>
        stage.dispatch({ kind: 'linked', clientId: client.server.clientId, serverPid }),
      onLost: () => stage.dispatch({ kind: 'lost' }),
      onNotice: (notice) => stage.dispatch(noticeSaid(notice)),
    })
  }

  /** How to come back; null when nothing is kept. */
  get farewell(): string | null {
    if (this.#session === null) return null
    const { summary, store, readOnly, attached } = this.#session
    return farewell({
      shortId: summary.shortId,
      state: store.state,
      readOnly,
      attached,
      detached: this.#detached,
      ephemeral: this.#isEphemeral,
      hasCompany: this.#parts.stage.ui.clientCount > 1,
      isLogGone: isLogGone(this.#parts.stage.ui.lostLog),
    })
  }

  begin(): Promise<void> {
    const { start, extra, launch, onEnd } = this.#parts
    const open = async () => this.#take(await begin(await this.#link.connect(launch), start, extra))
    return this.#unlessLost(open, onEnd)
  }

  /** Carries out an intent of the user. A rejection is shown on the screen. */
  perform(intent: Exclude<Intent, { kind: 'suspend' }>): Promise<void> {
    const { stage, onEnd } = this.#parts
    const act = async () => {
      if (intent.kind === 'leave') onEnd(null)
      else if (intent.kind === 'detach') await this.#detach()
      else if (intent.kind === 'restart') await this.#restart()
      else await this.#ask(intent)
    }
    return this.#unlessLost(act, (refusal) => stage.dispatch(refusalSaid(refusal)))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#counting?.[Symbol.dispose]()
    await this.#link.close({ detached: this.#detached })
  }

  get #isEphemeral(): boolean {
    return this.#parts.start.flags.ephemeral === true
  }

  get #onlyWatches(): boolean {
    const { start } = this.#parts
    return start.kind === 'attach' && start.readOnly
  }

  async #unlessLost(act: () => Promise<void>, onRejection: (rejection: RpcError) => void): Promise<void> {
    try {
      await act()
    } catch (error) {
      if (error instanceof ConnectionClosedError) this.#link.lose()
      else if (error instanceof RpcError) onRejection(error)
      else throw error
    }
  }

  async #ask(intent: Wanted | Request): Promise<void> {
    const { client } = this.#link
    if (client === null) return
    const { stage, start, extra } = this.#parts
    const store = this.#session?.store
    this.#note(intent)
    if (isWanted(intent)) {
      const { flags } = start
      const around = { flags, extra, cwd: store?.state.core.meta.cwd, onlyWatches: this.#onlyWatches }
      return this.#take(await openWanted(client, intent, around))
    }
    await perform(intent, {
      client,
      conversationId: store?.conversationId ?? '',
      state: store?.state ?? null,
      refresh: () => store?.refresh() ?? Promise.resolve(),
      dispatch: (...actions) => stage.dispatch(...actions),
    })
  }

  #note(intent: Wanted | Request): void {
    if (intent.kind === 'send') this.#typed.add(intent.message.text)
    if (intent.kind === 'shell') this.#typed.add(`!${intent.command}`)
  }

  /**
   * For the arrow keys, in later conversations of the folder. Only what the server records word for word: it knows of
   * secrets that this program does not, and puts marks in their place.
   */
  #remember({ summary }: Session, event: ConversationEvent): void {
    const text = recordedPrompt(event)
    if (text === null || !this.#typed.delete(text) || this.#isEphemeral) return
    this.#parts.prompts.add(summary.cwd, text)
  }

  /** What runs goes on; where nothing is open there is nothing to leave behind. */
  async #detach(): Promise<void> {
    const session = this.#session
    if (session !== null && !session.readOnly) {
      await session.client.request('conversation/detach', { conversationId: session.summary.conversationId })
      this.#detached = true
    }
    this.#parts.onEnd(null)
  }

  /** Goes on with the same conversation, in a server of our own or where others have it by now. */
  async #restart(): Promise<void> {
    const { launch, start, extra, stage } = this.#parts
    const before = this.#session
    const client = await this.#link.connect({ ...launch, early: null })
    if (before === null) return this.#take(await begin(client, start, extra))
    const isKept = !this.#isEphemeral && before.store.state.core.seq > 0
    if (!isKept) return this.#take(openedBy(client, await createConversation(client, start.flags, extra)))
    const { conversationId } = before.summary
    if (!this.#onlyWatches) return this.#take(await openOrJoin(client, { conversationId }))
    const opened = await watch(client, { conversationId })
    if (opened.client !== client) return this.#take(opened)
    // Taking what is saved would end the watching, unseen: what is on the screen stays, and r asks again.
    stage.dispatch(
      ...(opened.said.length > 0 ? opened.said : [nobodyHasIt]).map((notice) => ({ kind: 'notice', notice }) as const),
    )
    this.#link.lose()
  }

  async #take(begun: Begun): Promise<void> {
    if (begun.kind === 'open') await this.#show(begun)
    else this.#parts.stage.dispatch(begun)
  }

  async #show(opened: OpenedConversation): Promise<void> {
    const { stage } = this.#parts
    const link = await this.#link.moveTo(opened.client)
    const before = this.#session
    const session = await openSession(opened, link, before)
    const weakness = before?.store.conversationId === session.store.conversationId ? [] : await weaknessOf(session)
    this.#session = session
    const opening = [...this.#openOn(session, before), ...weakness]
    const isLeft = before?.client === session.client && before.store !== session.store
    if (isLeft) void before.store.close().catch(() => undefined)
    this.#listen(session)
    const { conversationId, shortId } = session.summary
    const { readOnly, attached } = session
    stage.dispatch(...[...opening, ...opened.said].map((text) => ({ kind: 'notice', notice: text }) as const), {
      kind: 'opened',
      opened: {
        conversationId,
        shortId,
        readOnly,
        onlyWatches: this.#onlyWatches,
        attached,
        ephemeral: this.#isEphemeral,
      },
    })
    stage.dispatch({ kind: 'recalled', prompts: this.#parts.prompts.read(session.summary.cwd) })
    this.#follow(session)
  }

  #listen(session: Session): void {
    const { stage } = this.#parts
    session.store.subscribe((envelope) => {
      if (session !== this.#session) return
      const event = envelope?.event
      if (event?.type === 'approval.decided') stage.dispatch({ kind: 'answered', event })
      if (event?.type === 'conversation.configured') stage.dispatch({ kind: 'configured', event })
      if (event !== undefined) this.#remember(session, event)
      this.#follow(session)
    })
    this.#counting?.[Symbol.dispose]()
    this.#counting = countClients(session, (clients) => {
      if (session === this.#session && clients !== stage.ui.clientCount) stage.dispatch({ kind: 'counted', clients })
    })
  }

  /** What is said above the conversation; when its server is another one now only what was recovered. */
  #openOn(session: Session, before: Session | null): readonly Notice[] {
    const { stage, launch, homeFolder } = this.#parts
    const { state } = session.store
    if (before?.store.conversationId !== session.store.conversationId) {
      const copied = session.summary.forkedFrom?.id
      const isOnScreen = copied !== undefined && copied === before?.store.conversationId
      const earlier = stage.open(state, { isOnScreen })
      return [...greeting(session, launch.program.version, homeFolder), ...(isOnScreen ? [] : earlierNote(earlier))]
    }
    stage.reopen(state)
    const { recovered } = session.summary
    return [
      {
        kind: 'note',
        level: 'info',
        text: recovered ?? (session.attached ? 'Joined again.' : 'The conversation goes on here.'),
      },
    ]
  }

  #follow(session: Session): void {
    if (session !== this.#session) return
    const { state } = session.store
    this.#parts.stage.follow(state)
    const { context } = state.core
    if (context === null || context === this.#context) return
    this.#context = context
    const locate = (branch: string | null) => this.#parts.stage.locate(branch)
    readBranch(session, context).then(locate, () => locate(null))
  }
}
