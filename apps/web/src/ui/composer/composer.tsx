import type { Client } from '@parley/client/browser'
import { parseSlash, shellLineOf } from '@parley/presentation/commands/slash-commands'
import type { CaretText } from '@parley/presentation/composer/at-word'
import { namesPart } from '@parley/presentation/composer/part-word'
import type { Notice } from '@parley/presentation/notices/notice'
import { showEffects } from '@parley/presentation/text/control-characters'
import { type ClipboardEvent, type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Ask } from '../../link/ask.ts'
import { useDraft } from './drafts.ts'
import { ImageRow, PickButton } from './image-row.tsx'
import type { CommandContext } from './page-commands.ts'
import { type Choices, useChoices } from './use-choices.ts'
import { useFoundParts } from './use-found-parts.ts'
import { usePickedImages } from './use-picked-images.ts'
import { useSending } from './use-sending.ts'

interface ComposerProps extends Omit<CommandContext, 'client'> {
  /** Connection; null while there is no link. */
  readonly client: Client | null
  readonly ask: Ask
  readonly onProblem: (problem: string) => void
  /** Is called when something is sent. */
  readonly onSend: () => void
  /** True while a question stands in its place; the text is kept. */
  readonly isHidden: boolean
}

const maxRows = 10

/**
 * Writes messages: at once, or while a turn runs for its next step or for the next turn; commands of the page after
 * `/`, shell commands after `!`, and files after `@`.
 */
export function Composer({ client, state, refresh, page, ask, onProblem, onSend, isHidden }: ComposerProps) {
  const { core } = state
  const { conversationId } = core.meta
  const [text, write] = useDraft(conversationId)
  const picked = usePickedImages(onProblem)
  const hasImages = picked.images.length > 0
  const parts = useFoundParts(text, client, { cwd: core.meta.cwd, environment: core.settings.environment })
  const isMessage = hasImages || namesPart(text.trim(), parts)
  const meant = isMessage ? null : { command: parseSlash(text.trim()), shellLine: shellLineOf(text) }
  const { isSending, notice, closeNotice, send } = useSending(ask, { state, refresh, page, text, write, picked, meant })
  const field = useCaret(text.length)
  const choices = useChoices(
    { text, caret: field.caret },
    {
      place: { client, conversationId },
      parts,
      write(written) {
        write(() => written.text)
        field.moveTo(written)
      },
    },
  )
  const isRunning = core.turn !== null
  const isCommand = meant !== null && (meant.command !== null || meant.shellLine !== null)
  const isOff = isSending || meant?.shellLine === '' || (text.trim() === '' && !hasImages)
  const sendNext = () => {
    if (isOff) return
    onSend()
    send(isRunning ? 'steer' : 'now')
  }
  const press = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return
    if (choices.press(event.key)) return event.preventDefault()
    // Where fingers type, Enter is a new line: there is no Shift.
    if (event.key !== 'Enter' || event.shiftKey || matchMedia('(pointer: coarse)').matches) return
    event.preventDefault()
    sendNext()
  }
  return (
    <form
      className="composer"
      hidden={isHidden}
      onSubmit={(event) => {
        event.preventDefault()
        sendNext()
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        picked.pick([...event.dataTransfer.files])
      }}
    >
      {notice?.kind === 'note' || notice?.kind === 'table' ? (
        <CommandNote notice={notice} onClose={closeNotice} />
      ) : null}
      <CommandList {...choices} />
      <ImageRow images={picked.images} onDrop={(image) => picked.drop([image])} />
      <textarea
        ref={field.ref}
        aria-label="Message"
        aria-autocomplete="list"
        aria-controls={choices.id}
        {...(choices.list.length === 0 ? {} : { 'aria-activedescendant': `${choices.id}-${choices.chosen}` })}
        placeholder={isRunning ? 'Say something while it works' : 'Ask anything · @ file · / command · ! shell'}
        value={text}
        rows={Math.min(maxRows, Math.max(1, text.split('\n').length))}
        onChange={({ target }) => {
          write(() => target.value)
          field.follow(target)
        }}
        onSelect={({ currentTarget }) => field.follow(currentTarget)}
        onKeyDown={press}
        onPaste={(event) => pasteImages(event, picked.pick)}
      />
      <Buttons {...{ isRunning, isOff, isCommand, send }} onPick={picked.pick} />
    </form>
  )
}

/** Follows the caret of a text field, and puts it behind a completion once the field has it. */
function useCaret(start: number) {
  const ref = useRef<HTMLTextAreaElement>(null)
  const [caret, setCaret] = useState(start)
  const aim = useRef<CaretText | null>(null)
  useLayoutEffect(() => {
    if (aim.current === null || ref.current?.value !== aim.current.text) return
    ref.current.setSelectionRange(aim.current.caret, aim.current.caret)
    aim.current = null
  })
  return {
    ref,
    caret,
    follow: (field: HTMLTextAreaElement) => setCaret(field.selectionStart),
    moveTo(written: CaretText) {
      aim.current = written
      setCaret(written.caret)
    },
  }
}

/** Takes pasted images; other pastes go to the text. */
function pasteImages(event: ClipboardEvent, pick: (files: readonly File[]) => void): void {
  const files = [...event.clipboardData.files]
  if (files.length === 0) return
  event.preventDefault()
  pick(files)
}

interface ButtonsProps {
  readonly isRunning: boolean
  readonly isCommand: boolean
  /** True while there is nothing to send. */
  readonly isOff: boolean
  readonly send: (when: 'queue') => void
  readonly onPick: (files: readonly File[]) => void
}

function Buttons({ isRunning, isCommand, isOff, send, onPick }: ButtonsProps) {
  return (
    <div className="row">
      <PickButton onPick={onPick} />
      <button type="submit" className="primary" disabled={isOff}>
        {isCommand ? 'Run' : isRunning ? 'Next step' : 'Send'}
      </button>
      {isRunning && !isCommand ? (
        <button type="button" disabled={isOff} onClick={() => send('queue')}>
          Next turn
        </button>
      ) : null}
    </div>
  )
}

/** List of completing commands, above the text field, which keeps the focus and the keys. */
function CommandList({ id, list, chosen, choose }: Choices) {
  const current = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    current.current?.scrollIntoView({ block: 'nearest' })
  })
  return (
    <div id={id} className="choices" role="listbox" tabIndex={-1} aria-label="Completions" hidden={list.length === 0}>
      {list.map((choice, index) => (
        <button
          key={choice.label}
          id={`${id}-${index}`}
          type="button"
          role="option"
          tabIndex={-1}
          aria-selected={index === chosen}
          {...(index === chosen ? { ref: current } : {})}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => choose(choice)}
        >
          <strong>{choice.label}</strong> <span className="muted">{choice.about}</span>
        </button>
      ))}
    </div>
  )
}

interface NoteProps {
  readonly notice: Extract<Notice, { kind: 'note' | 'table' }>
  readonly onClose: () => void
}

/** Answer of a command, until it is closed. */
function CommandNote({ notice, onClose }: NoteProps) {
  return (
    <section className="command-note" aria-label="Answer of the command" role="status">
      <div className="row">
        <strong className="grow">
          {notice.kind === 'table' ? showEffects(notice.title) : showEffects(notice.text)}
        </strong>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      {notice.kind === 'table' ? (
        <dl>
          {notice.rows.map(([name, value], index) => (
            <div key={index}>
              <dt>{showEffects(name)}</dt>
              <dd>{showEffects(value)}</dd>
            </div>
          ))}
        </dl>
      ) : null}
    </section>
  )
}
