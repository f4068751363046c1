import type { Client } from '@parley/client/browser'
import { newTypedLine, type ProcessInputKind, type SentText } from '@parley/presentation/processes/typed-line'
import { showEffects, stripEffects } from '@parley/presentation/text/control-characters'
import { count, countOf, formatBytes } from '@parley/presentation/text/formats'
import type { ConversationId, ItemId, ResultOf } from '@parley/protocol'
import { errorMessage } from '@parley/text'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Ask } from '../../link/ask.ts'

export interface ShownProcess {
  readonly itemId: ItemId
  readonly title: string
}

interface DialogProps {
  readonly client: Client | null
  readonly conversationId: ConversationId
  readonly process: ShownProcess
  readonly isView: boolean
  readonly ask: Ask
  readonly onClose: () => void
}

/** Output of a process in front of the page: live, searched, with the ways to be told of a text and to stop it. */
export function ProcessDialog({ client, conversationId, process, isView, ask, onClose }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  const [query, setQuery] = useState('')
  const { output, problem } = useProcess({ client, conversationId, itemId: process.itemId }, query)
  const isRunning = output !== null && output.end === null
  return (
    <dialog ref={dialog} className="process" onClose={onClose} aria-label="Output of a background command">
      <header className="row">
        <code className="grow">{showEffects(process.title)}</code>
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </header>
      <input
        type="search"
        value={query}
        placeholder="Only lines with … (* any text, | or)"
        aria-label="Search in the output"
        onChange={({ target }) => setQuery(target.value)}
      />
      <p className="muted" role="status">
        {problem ?? (output === null ? 'Reading …' : standing(output, query))}
      </p>
      <Lines lines={output?.lines ?? []} isNumbered={query !== ''} isBinary={output?.binary === true} />
      {isView || !isRunning || output.input === undefined ? null : (
        <TypingRow
          {...{ conversationId, itemId: process.itemId, ask, input: output.input }}
          newest={output.lines.at(-1)?.text}
        />
      )}
      {isView || !isRunning ? null : <Acts {...{ conversationId, itemId: process.itemId, ask }} />}
    </dialog>
  )
}

type FollowedOutput = NonNullable<ReturnType<typeof useProcess>['output']>

function standing({ end, totalBytes, of, omittedBytes, lines }: FollowedOutput, query: string): string {
  const state = end === null ? 'runs' : `ended: ${end}`
  const first = lines[0]?.number ?? 1
  const shown = query === '' ? (first > 1 ? `, shown from line ${count(first)}` : '') : ' found'
  const gap = query === '' || omittedBytes === 0 ? '' : ` · ${formatBytes(omittedBytes)} between no longer kept`
  return `${state} · ${formatBytes(totalBytes)} · ${countOf(of, 'line')}${shown}${gap}`
}

interface LinesProps {
  readonly lines: FollowedOutput['lines']
  readonly isNumbered: boolean
  readonly isBinary: boolean
}

/** Distance in px from the end up to which the newest line stays in sight. */
const nearEnd = 40

function Lines({ lines, isNumbered, isBinary }: LinesProps) {
  const box = useRef<HTMLPreElement>(null)
  const follows = useRef(true)
  useLayoutEffect(() => {
    if (follows.current) box.current?.scrollTo({ top: box.current.scrollHeight })
  })
  return (
    <pre
      ref={box}
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        follows.current = scrollTop + clientHeight > scrollHeight - nearEnd
      }}
    >
      {isBinary
        ? 'This output is no text.'
        : lines.map(({ number, text }) => `${isNumbered ? `${number}: ` : ''}${stripEffects(text)}\n`).join('')}
    </pre>
  )
}

interface ActsProps {
  readonly conversationId: ConversationId
  readonly itemId: ItemId
  readonly ask: Ask
}

/** Ways to be told when the process prints a text, and to stop it by a second press. */
function Acts({ conversationId, itemId, ask }: ActsProps) {
  const [pattern, setPattern] = useState('')
  const [told, setTold] = useState<string | null>(null)
  const [isStopping, setStopping] = useState(false)
  const tell = () =>
    ask(async (client) => {
      await client.request('conversation/process/tellWhen', { conversationId, itemId, pattern })
      setTold(pattern)
      setPattern('')
    })
  const stop = () => {
    if (!isStopping) return setStopping(true)
    setStopping(false)
    ask((client) => client.request('conversation/interrupt', { conversationId, shell: true, itemId }))
  }
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault()
        tell()
      }}
    >
      {told === null ? null : (
        <p className="muted told" role="status">
          You are told once when it prints “{told}”.
        </p>
      )}
      <input
        className="grow"
        value={pattern}
        placeholder="Tell me when it prints …"
        aria-label="Tell me when it prints"
        onChange={({ target }) => setPattern(target.value)}
      />
      <button type="submit" disabled={pattern.trim() === ''}>
        Tell me
      </button>
      <button type="button" className={isStopping ? 'danger' : ''} onClick={stop} onBlur={() => setStopping(false)}>
        {isStopping ? 'Really stop' : 'Stop'}
      </button>
    </form>
  )
}

interface TypingProps extends ActsProps {
  readonly input: ProcessInputKind
  /** Newest line of the output; undefined before there is one. */
  readonly newest: string | undefined
}

/** Line to type into a process: hidden where it asks for a secret, with the keys that a terminal needs. */
function TypingRow({ conversationId, itemId, ask, input, newest = '' }: TypingProps) {
  const [text, setText] = useState('')
  const [isShown, setShown] = useState<boolean | null>(null)
  const isHidden = isShown === null ? newTypedLine(newest).isHidden : !isShown
  const send = (sent: SentText) =>
    ask(async (client) => {
      await client.request('conversation/process/write', { conversationId, itemId, ...sent })
      setText('')
      setShown(null)
    })
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault()
        send({ text, ...(isHidden && text !== '' ? { hidden: true } : {}) })
      }}
    >
      <input
        className="grow"
        type={isHidden ? 'password' : 'text'}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        value={text}
        placeholder={isHidden ? 'Type into it; stored nowhere' : 'Type into it …'}
        aria-label="Type into it"
        onChange={({ target }) => setText(target.value)}
      />
      <button type="submit">Send</button>
      <button type="button" aria-pressed={isHidden} onClick={() => setShown(isHidden)}>
        Hidden
      </button>
      {input === 'terminal' ? (
        <button type="button" onClick={() => send({ text: '\u0003', enter: false })}>
          Ctrl+C
        </button>
      ) : null}
      <button
        type="button"
        onClick={() => send(input === 'terminal' ? { text: '\u0004', enter: false } : { close: true })}
      >
        {input === 'terminal' ? 'Ctrl+D' : 'End input'}
      </button>
    </form>
  )
}

type ProcessOutput = ResultOf<'conversation/process/read'>

interface ProcessReading {
  /** Newest output; null before the first answer. */
  readonly output: ProcessOutput | null
  readonly problem: string | null
}

interface ProcessPlace extends Pick<ActsProps, 'conversationId' | 'itemId'> {
  readonly client: Client | null
}

/** Lines that are asked for; the server sends 24 KiB at most. */
const wantedLines = 1_000
/** Time that the server waits for more output. */
const waitMs = 10_000
/** Shortest time between two readings of a process that prints without end. */
const pauseMs = 250

/** Follows the output of a process, or its lines with a text, until it has ended. */
function useProcess({ client, conversationId, itemId }: ProcessPlace, query: string): ProcessReading {
  const [read, setRead] = useState<ProcessReading>({ output: null, problem: null })
  useEffect(() => {
    if (client === null) return undefined
    let isOver = false
    const wanted = { conversationId, itemId, tail: wantedLines, ...(query === '' ? {} : { search: query }) }
    const follow = async () => {
      let output = await client.request('conversation/process/read', wanted)
      while (!isOver) {
        setRead({ output, problem: null })
        if (output.end !== null) return
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
        if (isOver) return
        const { totalBytes: changedFrom } = output
        output = await client.request('conversation/process/read', { ...wanted, changedFrom, waitMs })
      }
    }
    // A short wait after a letter, so that not every letter is a request.
    const timer = setTimeout(
      () => {
        follow().catch((error: unknown) => isOver || setRead({ output: null, problem: errorMessage(error) }))
      },
      query === '' ? 0 : pauseMs,
    )
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [client, conversationId, itemId, query])
  return read
}
