import { type Conversation, codeOf, type LinkState } from '@parley/client'
import { forwardsEndedWords } from '@parley/presentation/commands/forward-words'
import { isAsking } from '@parley/presentation/question/answers'
import type { ConversationEvent, ConversationState } from '@parley/protocol'
import type { UserPrograms } from '../programs/user-programs.ts'
import type { ConversationScreen } from '../terminal/conversation-screen.ts'
import type { EnteredPrompts } from './prompt-history.ts'
import { note } from './rejected-intent.ts'
import type { ServerWatch } from './server-watch.ts'

interface FollowingParts {
  readonly screen: ConversationScreen
  readonly entered: EnteredPrompts
  readonly programs: Pick<UserPrograms, 'follow'>
  readonly watch: Pick<ServerWatch, 'follow'>
  /** False for a conversation that ends with its server. */
  readonly isKept: boolean
  /** Called with the reason when every one of several servers fails. */
  readonly onLost: (reason: Error) => void
}

/** Conversation on the screen with its state in the window. Brings its events to the screen until disposal. */
export class FollowedConversation implements Disposable {
  readonly conversation: Conversation
  readonly #parts: FollowingParts
  readonly #unsubscribe: () => void
  readonly #stopCounting: () => void
  readonly #stopLinking: () => void
  /** Session context at the last read of the branch. */
  #context: ConversationState['core']['context'] = null
  #branch: string | null = null
  #isOver = false

  constructor(conversation: Conversation, parts: FollowingParts) {
    this.conversation = conversation
    this.#parts = parts
    this.#unsubscribe = conversation.subscribe((envelope) => this.#take(envelope?.event ?? null))
    parts.programs.follow(conversation.state, null)
    this.#stopCounting = conversation.onClients((clients) => this.#showCount(clients))
    this.#stopLinking = conversation.onLink((link) => this.#followLink(link))
    this.#count()
    this.#followBranch()
  }

  [Symbol.dispose](): void {
    this.#isOver = true
    this.#unsubscribe()
    this.#stopCounting()
    this.#stopLinking()
  }

  #followLink(link: LinkState): void {
    const { screen, onLost } = this.#parts
    if (link.kind === 'ended' && codeOf(link.reason) === 'conversationNotFound') screen.dispatch({ kind: 'takenAway' })
    else if (link.kind === 'ended') onLost(link.reason)
    else if (link.kind === 'lost') screen.dispatch({ kind: 'lost', sought: link })
    else screen.dispatch({ kind: 'linked', clientId: link.clientId, serverPid: null })
  }

  #take(event: ConversationEvent | null): void {
    const { screen, entered, programs, watch, isKept } = this.#parts
    const { summary, state } = this.conversation
    if (event?.type === 'approval.decided') screen.dispatch({ kind: 'answered', event })
    if (event?.type === 'conversation.configured') screen.dispatch({ kind: 'configured', event })
    const ended = event === null ? null : forwardsEndedWords(event)
    if (ended !== null) screen.dispatch(note('warning', ended))
    if (event !== null) entered.record(event, { cwd: summary.cwd, isKept })
    screen.follow(state)
    programs.follow(state, this.#branch)
    watch.follow(isWorking(state))
    this.#followBranch()
  }

  /** Counts the clients once: a change that the server told before this began was missed. */
  #count(): void {
    // The connection itself reports its loss.
    this.conversation.countClients().then(
      (clients) => this.#showCount(clients),
      () => undefined,
    )
  }

  #showCount(clients: number): void {
    const { screen } = this.#parts
    if (!this.#isOver && clients !== screen.ui.connection.clientCount) screen.dispatch({ kind: 'counted', clients })
  }

  #followBranch(): void {
    const { context } = this.conversation.state.core
    if (context === null || context === this.#context) return
    this.#context = context
    const show = (branch: string | null) => {
      if (this.#isOver || context !== this.#context) return
      const { screen, programs } = this.#parts
      this.#branch = branch
      screen.locate(branch)
      programs.follow(this.conversation.state, branch)
    }
    readBranch(this.conversation, context).then(show, () => show(null))
  }
}

/** Returns true while the server has something to do by itself. */
function isWorking(state: ConversationState): boolean {
  const { turn } = state.core
  return turn !== null && !turn.parked && !isAsking(state)
}

/** Reads the branch from the session context that the model has; the folder may be on another branch by now. */
async function readBranch(
  conversation: Conversation,
  { sessionContext }: NonNullable<ConversationState['core']['context']>,
): Promise<string | null> {
  const { base64 } = await conversation.request('conversation/readFile', { file: sessionContext })
  return /^Git branch: (.+)$/m.exec(Buffer.from(base64, 'base64').toString('utf8'))?.[1] ?? null
}
