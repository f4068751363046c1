import type { Conversation } from '@parley/client'
import { isAsking } from '@parley/presentation/question/answers'
import type { ConversationState } from '@parley/protocol'
import { errorMessage } from '@parley/text'
import type { Clipboard } from '../../terminal/clipboard.ts'
import type { ConversationScreen } from '../../terminal/conversation-screen.ts'
import { createRowPainter, type Overlay, type OverlayScene } from '../../terminal/overlay.ts'
import type { KeyEvent } from '../../ui/keys/key-event.ts'
import { chunkRange, cutChunks } from '../../ui/pager/file-chunks.ts'
import { openPager, type Pager, type PagerSize } from '../../ui/pager/pager.ts'
import { openLastFolded } from '../../ui/pager/press-pager.ts'
import type { PagerEffect } from '../../ui/pager/read-more.ts'
import { type PagerEvent, updatePager } from '../../ui/pager/update-pager.ts'
import { pagerScreen } from '../../view/pager-screen.ts'

interface ViewParts {
  readonly conversation: Pick<Conversation, 'state' | 'read' | 'request'>
  readonly screen: Pick<ConversationScreen, 'uncover' | 'repaint' | 'suspend'>
  readonly clipboard: Clipboard
  readonly write: (text: string) => void
  readonly at: 'end' | 'lastFold'
}

/** View of the whole conversation on the terminal: its state, its reads, and its rows. */
export class TranscriptView implements Overlay {
  readonly #parts: ViewParts
  readonly #painter
  #pager: Pager
  #followed: ConversationState
  /** Size of the last frame; null before the first. */
  #size: PagerSize | null = null
  #isClosed = false

  constructor(parts: ViewParts) {
    this.#parts = parts
    this.#painter = createRowPainter(parts.write)
    this.#followed = parts.conversation.state
    this.#pager = openPager(this.#followed)
  }

  press(events: readonly KeyEvent[]): void {
    for (const event of events) this.#update({ kind: 'key', event })
  }

  paint({ state, size: { columns, rows }, theme, highlight, ambiguous, isLost }: OverlayScene): void {
    if (this.#isClosed) return
    const size = { columns, rows, ambiguous, ...(highlight === undefined ? {} : { highlight }) }
    if (this.#size === null && this.#parts.at === 'lastFold') this.#pager = openLastFolded(this.#pager, size)
    const isSame = this.#size?.columns === columns && this.#size.rows === rows
    this.#size = size
    if (!isSame || (state !== null && state !== this.#followed)) this.#follow(state ?? this.#followed)
    const lines = pagerScreen(this.#pager, size, { isAsked: isAsking(this.#followed), isLost })
    this.#painter.paint(lines, { size, theme })
  }

  forget(): void {
    this.#painter.forget()
  }

  #follow(state: ConversationState): void {
    this.#followed = state
    this.#update({ kind: 'followed', state })
  }

  #update(event: PagerEvent): void {
    if (this.#size === null || this.#isClosed) return
    const { pager, effects } = updatePager(this.#pager, event, this.#size)
    this.#pager = pager
    for (const effect of effects) this.#carryOut(effect)
  }

  #carryOut(effect: PagerEffect): void {
    switch (effect.kind) {
      case 'readItems':
      case 'readChunk':
        void this.#answer(effect)
        return
      case 'copy':
        void this.#parts.clipboard
          .copy(effect.text, effect.what)
          .then(({ text }) => this.#take({ kind: 'noted', text }))
        return
      case 'suspend':
        this.#parts.screen.suspend()
        return
      case 'leave':
        this.#isClosed = true
        this.#parts.screen.uncover()
        return
    }
  }

  async #answer(effect: PagerEffect & { readonly kind: 'readItems' | 'readChunk' }): Promise<void> {
    const { conversation } = this.#parts
    const read = effect.kind === 'readItems' ? readItems(conversation, effect) : readChunk(conversation, effect)
    const failed = (error: unknown): PagerEvent => {
      const problem = errorMessage(error)
      return { kind: 'notRead', id: effect.id, problem }
    }
    this.#take(await read.catch(failed))
  }

  #take(event: PagerEvent): void {
    this.#update(event)
    if (!this.#isClosed) this.#parts.screen.repaint()
  }
}

async function readItems(
  conversation: Pick<Conversation, 'read'>,
  { request }: PagerEffect & { readonly kind: 'readItems' },
): Promise<PagerEvent> {
  const { before, limit } = request
  return { kind: 'itemsRead', request, ...(await conversation.read({ before, limit })) }
}

async function readChunk(
  conversation: Pick<Conversation, 'request'>,
  { id, file, run }: PagerEffect & { readonly kind: 'readChunk' },
): Promise<PagerEvent> {
  const { base64, totalBytes } = await conversation.request('conversation/readFile', { file, ...chunkRange(run) })
  const texts = cutChunks(Buffer.from(base64, 'base64'), run).map((bytes) => Buffer.from(bytes).toString('utf8'))
  return { kind: 'chunkRead', id, file, first: run.first, texts, totalBytes }
}
