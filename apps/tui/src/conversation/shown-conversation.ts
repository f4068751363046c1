import type { Conversation, Parley } from '@parley/client'
import type { Notice } from '@parley/presentation/notices/notice'
import type { RpcError } from '@parley/rpc'
import type { Launch } from '../cli/launch-server.ts'
import type { UserPrograms } from '../programs/user-programs.ts'
import type { ConversationScreen } from '../terminal/conversation-screen.ts'
import { isLogGone } from '../ui/outside-changes.ts'
import { FollowedConversation } from './followed-conversation.ts'
import { enforcementNotices, farewell, greeting, reopeningNotice } from './greeting-and-farewell.ts'
import type { Extra, OpenedConversation } from './open-conversation.ts'
import type { EnteredPrompts, PromptHistory } from './prompt-history.ts'
import type { ReadingTerminal } from './read-back.ts'
import { lossOf, type ServerConnection } from './server-connection.ts'
import type { ServerWatch } from './server-watch.ts'
import type { SessionStart } from './start-conversation.ts'

/** Window that shows conversations, and the session that its command line asks for. */
export interface ConversationWindow {
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

interface ConversationLife {
  readonly entered: EnteredPrompts
  readonly watch: ServerWatch
  readonly server: Pick<ServerConnection, 'moveTo' | 'loseFrom'>
}

export class ShownConversation implements Disposable {
  readonly #window: ConversationWindow
  readonly #life: ConversationLife
  #followed: FollowedConversation | null = null

  constructor(window: ConversationWindow, life: ConversationLife) {
    this.#window = window
    this.#life = life
  }

  get conversation(): Conversation | null {
    return this.#followed?.conversation ?? null
  }

  get isEphemeral(): boolean {
    return this.#window.start.flags.ephemeral === true
  }

  get isFar(): boolean {
    return this.#window.launch.server !== null
  }

  get onlyWatches(): boolean {
    const { start } = this.#window
    return start.kind === 'attach' && start.readOnly
  }

  /** Returns the line that says how to come back; null if nothing is kept. */
  farewell(isDetached: boolean): string | null {
    const conversation = this.conversation
    if (conversation === null) return null
    const { ui } = this.#window.screen
    const { summary, state, readOnly, attached } = conversation
    return farewell({
      shortId: summary.shortId,
      state,
      readOnly,
      attached,
      detached: isDetached,
      ephemeral: this.isEphemeral,
      hasCompany: ui.connection.clientCount > 1,
      isLogGone: isLogGone(ui.storage.lostLog),
      server: this.#window.launch.server?.urls.join(',') ?? null,
    })
  }

  /** Shows a conversation, and stops following the one before. */
  async show({ parley: asked, conversation, notices }: OpenedConversation): Promise<void> {
    const { screen, programs, prompts, launch, homeFolder } = this.#window
    const { entered, watch, server } = this.#life
    const parley = asked.release(conversation)
    server.moveTo(parley)
    const before = this.conversation
    const opening = await openOnScreen(
      { parley, conversation, before },
      { screen, homeFolder, version: launch.program.version },
    )
    this.#followed?.[Symbol.dispose]()
    this.#followed = new FollowedConversation(conversation, {
      screen,
      entered,
      programs,
      watch,
      isKept: !this.isEphemeral,
      onLost: (reason) => server.loseFrom(parley, lossOf(reason)),
    })
    if (before !== conversation) void before?.close().catch(() => undefined)
    const { summary, readOnly, attached } = conversation
    const { conversationId, shortId, cwd, ceiling, storage } = summary
    const { person } = parley.server
    const far = { ...(this.isFar ? { isFar: true as const } : {}), ...(person === undefined ? {} : { person }) }
    const window = { readOnly, onlyWatches: this.onlyWatches, attached, ephemeral: this.isEphemeral, ...far }
    const isSafe = parley.isSafe ? { isSafe: true as const } : {}
    screen.dispatch(...openingActions([...opening, ...notices]), {
      kind: 'opened',
      opened: { conversationId, shortId, ...window, ...isSafe, ...(ceiling === undefined ? {} : { ceiling }) },
      ...(storage?.passing === true ? { storage: storage.errno } : {}),
    })
    screen.dispatch({ kind: 'recalled', prompts: prompts.read(cwd) })
    screen.follow(conversation.state)
  }

  [Symbol.dispose](): void {
    this.#followed?.[Symbol.dispose]()
  }
}

interface ConversationToShow {
  readonly parley: Parley
  readonly conversation: Conversation
  /** Conversation that was on the screen before. */
  readonly before: Conversation | null
}

interface OpeningPlace {
  readonly screen: ConversationScreen
  readonly homeFolder: string
  readonly version: string
}

/** Puts a conversation on the screen. Resolves to the notices to show above; a single one if it was on the screen. */
async function openOnScreen(
  { parley, conversation, before }: ConversationToShow,
  { screen, homeFolder, version }: OpeningPlace,
): Promise<readonly Notice[]> {
  if (before?.id === conversation.id) {
    screen.reopen(conversation.state)
    // A view says by itself why it is one.
    return conversation.readOnly && !conversation.attached ? [] : [reopeningNotice(conversation)]
  }
  const unenforced = await enforcementNotices(parley, conversation)
  const { summary } = conversation
  const isOnScreen = before !== null && summary.forkedFrom?.id === before.id
  const leftOut = screen.open(conversation.state, { isOnScreen })
  return [...greeting(summary, { version, homeFolder, earlierItems: isOnScreen ? 0 : leftOut }), ...unenforced]
}

/** Returns the actions that show notices above a conversation. */
export function openingActions(notices: readonly Notice[]) {
  return notices.map((notice) => ({ kind: 'notice', notice }) as const)
}
