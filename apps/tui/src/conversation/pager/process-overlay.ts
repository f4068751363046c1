import { type Conversation, isConnectionOver } from '@parley/client'
import { isAsking } from '@parley/presentation/question/answers'
import type { ConversationState } from '@parley/protocol'
import { errorMessage } from '@parley/text'
import type { ConversationScreen } from '../../terminal/conversation-screen.ts'
import { createRowPainter, type Overlay, type OverlayScene } from '../../terminal/overlay.ts'
import { chord } from '../../ui/composer/command.ts'
import type { KeyEvent } from '../../ui/keys/key-event.ts'
import { processActionOf } from '../../ui/keys/process-keys.ts'
import {
  openProcess,
  type ProcessEffect,
  type ProcessOutput,
  type ProcessView,
  pressInProcess,
  type ShownProcess,
  withOutput,
} from '../../ui/processes/process-view.ts'
import { type ProcessSize, processRoom, processScreen, processText } from '../../view/process-screen.ts'

interface ViewParts {
  readonly conversation: Pick<Conversation, 'state' | 'request'>
  readonly screen: Pick<ConversationScreen, 'uncover' | 'repaint' | 'suspend'>
  readonly write: (text: string) => void
  readonly process: ShownProcess
}

/** Lines that are asked for; the server sends 24 KiB at most. */
const wantedLines = 1_000
/** Time that the server waits for more output. */
const waitMs = 10_000
/** Shortest time between two readings of a process that prints without end. */
const pauseMs = 200

/** View of the output of one process, live, in front of the screen. */
export class ProcessOverlay implements Overlay {
  readonly #parts: ViewParts
  readonly #painter
  #view: ProcessView
  #followed: ConversationState
  /** Size of the last frame; null before the first. */
  #size: ProcessSize | null = null
  #isClosed = false
  /** Keys pressed before the first reading tells the kind of input; null afterwards. */
  #early: KeyEvent[] | null = null
  /** Number of the reading that counts: an answer to an earlier one is about other lines. */
  #reading = 0

  constructor(parts: ViewParts) {
    this.#parts = parts
    this.#painter = createRowPainter(parts.write)
    this.#followed = parts.conversation.state
    this.#view = openProcess(parts.process)
    this.#read()
  }

  press(events: readonly KeyEvent[]): void {
    for (const event of events) this.#press(event)
  }

  paint({ state, size: { columns, rows }, theme, ambiguous, isLost }: OverlayScene): void {
    if (this.#isClosed) return
    this.#followed = state ?? this.#followed
    const size = { columns, rows, ambiguous }
    const isResized = this.#size !== null && (this.#size.columns !== columns || this.#size.rows !== rows)
    this.#size = size
    if (isResized && this.#view.typed !== null) this.#carryOut({ kind: 'resize' })
    const lines = processScreen(this.#view, size, { isAsked: isAsking(this.#followed), isLost })
    this.#painter.paint(lines, { size, theme })
  }

  forget(): void {
    this.#painter.forget()
  }

  #press(event: KeyEvent): void {
    if (this.#size === null || this.#isClosed) return
    if (this.#early !== null && !this.#actsAtOnce(event)) {
      this.#early.push(event)
      return
    }
    const { view, effects } = pressInProcess(this.#view, event, processRoom(this.#view, this.#size))
    this.#view = view
    for (const effect of effects) this.#carryOut(effect)
  }

  /** Tells if a key closes the view or stops parley, and is no part of the typed text. */
  #actsAtOnce(event: KeyEvent): boolean {
    if (event.kind === 'text') return this.#early?.length === 0 && processActionOf(event.text) === 'leave'
    const action = event.kind === 'key' ? processActionOf(chord(event)) : null
    return action === 'leave' || action === 'suspend'
  }

  /** Applies the keys that have waited; they are dropped where nothing could be read. */
  #takeEarly(known: ProcessOutput | string): void {
    const early = this.#early ?? []
    this.#early = null
    if (typeof known !== 'string') this.press(early)
  }

  #carryOut(effect: ProcessEffect): void {
    const { conversation, screen, process } = this.#parts
    const { itemId } = process
    switch (effect.kind) {
      case 'read':
        this.#read()
        return
      case 'tell': {
        const { pattern } = effect
        const told = conversation.request('conversation/process/tellWhen', { itemId, pattern })
        this.#note(told.then(() => `You are told once when it prints “${pattern}”.`))
        return
      }
      case 'type': {
        const typed = conversation.request('conversation/process/write', { itemId, ...effect.sent })
        this.#note(typed.then(({ taken }) => (taken ? null : 'It has not read all of that yet.')))
        return
      }
      case 'resize':
        this.#resize()
        return
      case 'stop':
        this.#note(conversation.request('conversation/interrupt', { shell: true, itemId }).then(() => null))
        return
      case 'suspend':
        screen.suspend()
        return
      case 'leave':
        this.#isClosed = true
        screen.uncover()
        return
    }
  }

  /** Gives the terminal of the process the rows and columns that the view has for it. */
  #resize(): void {
    if (this.#size === null || this.#view.newest?.input !== 'terminal') return
    const { conversation, process } = this.#parts
    const size = { rows: processRoom(this.#view, this.#size).height, cols: this.#size.columns }
    this.#note(conversation.request('conversation/process/write', { itemId: process.itemId, size }).then(() => null))
  }

  /** Shows the result of a request; null changes nothing. */
  #note(answer: Promise<string | null>): void {
    void answer.catch(messageOf).then((note) => {
      if (note !== null) this.#show({ ...this.#view, note })
    })
  }

  #show(view: ProcessView): void {
    this.#view = view
    if (!this.#isClosed) this.#parts.screen.repaint()
  }

  #read(): void {
    this.#reading += 1
    this.#early = []
    void this.#follow(this.#reading)
  }

  /** Reads the output and what comes, until the process has ended, other lines are wanted, or the view is closed. */
  async #follow(reading: number): Promise<void> {
    const isCurrent = () => !this.#isClosed && this.#reading === reading
    let known: ProcessOutput | null = null
    while (known === null || known.end === null) {
      const answer: ProcessOutput | string = await this.#answer(known)
      if (!isCurrent()) return
      if (typeof answer === 'string') this.#show({ ...this.#view, note: answer })
      else this.#show(withOutput(this.#view, answer))
      if (known === null) this.#takeEarly(answer)
      if (typeof answer === 'string') return
      known = answer
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }

  /** Resolves to the output once there is new output, or to the reason why it cannot be read. */
  #answer(known: ProcessOutput | null): Promise<ProcessOutput | string> {
    const { conversation, process } = this.#parts
    const { query } = this.#view
    const wait = known === null ? {} : { changedFrom: known.totalBytes, waitMs }
    const search = query === '' ? {} : { search: query }
    return conversation
      .request('conversation/process/read', { itemId: process.itemId, tail: wantedLines, ...search, ...wait })
      .catch(messageOf)
  }
}

/** Resolves to the newest lines of a process with its state above, or to why it cannot be read. */
export async function newestText(
  { itemId, title }: ShownProcess,
  conversation: Pick<Conversation, 'request'>,
): Promise<string> {
  const output = await conversation.request('conversation/process/read', { itemId }).catch(messageOf)
  if (typeof output === 'string') return output
  const rows = processText(withOutput(openProcess({ itemId, title }), output))
  return rows.join('\n')
}

function messageOf(error: unknown): string {
  if (isConnectionOver(error)) return 'The server is gone, and the process with it.'
  return errorMessage(error)
}
