import { answerNote, callFacts, callTone, callVerb, commandOf, talkText } from '@parley/presentation/items/call-facts'
import { blockedWords, commandVerbs, patchVerb, toolVerbs } from '@parley/presentation/items/item-words'
import { showEffects, stripEffects, visibleLine } from '@parley/presentation/text/control-characters'
import { count } from '@parley/presentation/text/formats'
import type { CallItem, ItemOf } from '@parley/protocol'
import { outputText } from '@parley/protocol/calls'
import { answererWords, senderWords } from '../../words/words.ts'
import { Markdown } from './markdown.tsx'
import { Scrolling } from './scrolling.tsx'
import { StyledLine } from './styled-line.tsx'
import { WholeText } from './whole-text.tsx'

type TranscriptCall = CallItem | ItemOf<'shellCommand'>

/** Describes a call: its kind, its end if that was not good, and the answer to its question. */
export function CallHead({ item }: { readonly item: TranscriptCall }) {
  const isOwn = item.type === 'shellCommand'
  const about = isOwn ? [senderWords(item.by)] : [answererWords(item), answerNote(item)]
  const notes = about.filter((words) => words !== null)
  const blocked = item.type === 'commandExecution' ? blockedWords(item) : null
  const facts = callFacts(item)
  const verb = verbWords(item)
  return (
    <>
      <p className="call-head">
        <span className={`t-${callTone(item)}`} aria-hidden="true">
          {isOwn ? '! ' : '• '}
        </span>
        {verb === '' ? null : <strong>{verb} </strong>}
        <Subject item={item} />
        {facts.length === 0 ? null : (
          <span className="facts">
            {' '}
            <StyledLine line={facts} />
          </span>
        )}
      </p>
      {notes.length === 0 ? null : <p className="note muted">{notes.join(' · ')}</p>}
      {item.failure === undefined ? null : <p className="note t-bad">{showEffects(item.failure.message)}</p>}
      {blocked === null ? null : <p className="note t-warn">{blocked}</p>}
    </>
  )
}

function verbWords(item: TranscriptCall): string {
  if (item.type === 'fileChange') return patchVerb(item)
  if (item.type !== 'toolCall') return callVerb(item, commandVerbs)
  return item.readOnly === true && item.status !== 'denied' ? '' : callVerb(item, toolVerbs)
}

function Subject({ item }: { readonly item: TranscriptCall }) {
  if (item.type === 'fileChange')
    return item.changes.length === 1 ? null : (
      <span>{item.changes.length === 0 ? visibleLine(item.title) : `${item.changes.length} files`}</span>
    )
  if (item.type === 'toolCall') return <span>{visibleLine(item.title)}</span>
  return <code className="command">{showEffects(commandOf(item))}</code>
}

/** Shows a plan whole, and that a form was not answered. */
export function CallTalk({ item }: { readonly item: TranscriptCall }) {
  const talk = talkText(item)
  if (talk === null) return null
  if (talk.kind === 'plan') return <Markdown text={talk.text} />
  return <p className="note">{talk.text}</p>
}

/** Lines of output that are shown without opening it. */
const shownLines = 5

/** The output of a call: its last lines, and all of it on request. */
export function CallOutput({ item }: { readonly item: Exclude<TranscriptCall, ItemOf<'fileChange'>> }) {
  const { output } = item
  if (output === undefined || output.totalBytes === 0) return null
  const text = stripEffects(outputText(output)).trimEnd()
  const { file, binary, omittedBytes, totalBytes, totalLines } = output
  return (
    <>
      <OutputText text={text} totalLines={totalLines} isOpen={false} />
      {file === undefined || binary === true || omittedBytes === 0 ? null : (
        <WholeText file={file} totalBytes={totalBytes} label="Whole output" />
      )}
    </>
  )
}

interface OutputProps {
  readonly text: string
  /** Lines that were printed, where the text has not all of them. */
  readonly totalLines?: number | undefined
  readonly isOpen: boolean
}

/** Text of output, folded where it is long. */
export function OutputText({ text, totalLines, isOpen }: OutputProps) {
  const lines = text.split('\n')
  if (text === '') return null
  const pre = (shown: string) => (
    <Scrolling className="output" label="Output">
      <pre>{shown}</pre>
    </Scrolling>
  )
  if (isOpen || lines.length <= shownLines + 1) return pre(text)
  return (
    <details className="output-fold">
      <summary>
        <span className="more">{count(totalLines ?? lines.length)} lines</span>
        <span className="output tail">{lines.slice(-shownLines).join('\n')}</span>
      </summary>
      {pre(text)}
    </details>
  )
}
