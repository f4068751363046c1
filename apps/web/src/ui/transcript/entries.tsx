import type { TranscriptEntry } from '@parley/presentation/items/entries'
import { findingPlace, severityTones, suggestionLines } from '@parley/presentation/items/findings'
import { noticeWords, reasoningHeading } from '@parley/presentation/items/item-words'
import { showEffects, stripEffects, visibleLine } from '@parley/presentation/text/control-characters'
import type { DiffLine } from '@parley/presentation/text/diff'
import type { CompletedItem, FileChangeEntry, Finding, Item, ItemOf } from '@parley/protocol'
import { memo } from 'react'
import { CallHead, CallOutput, CallTalk } from './call-entry.tsx'
import { ChangedFile } from './changed-file.tsx'
import { DiffLines } from './diff.tsx'
import { Markdown } from './markdown.tsx'
import { Scrolling } from './scrolling.tsx'
import { Sender, StoredImage, UserMessage } from './user-message.tsx'

/** Finished entries, as items of the list that the transcript is. */
export function Entries({ entries }: { readonly entries: readonly TranscriptEntry[] }) {
  return entries.map((entry) => {
    if (entry.kind === 'item')
      return (
        <li key={entry.completed.item.id} data-seq={entry.completed.seq}>
          <ItemEntry completed={entry.completed} />
        </li>
      )
    return (
      <li key={entry.key} data-seq={entry.seq} className="look-ups muted">
        {entry.kind === 'plan'
          ? `Plan: ${showEffects(entry.steps.join('  '))}`
          : `Looked at ${[...new Set(entry.words)].join(' · ')}`}
      </li>
    )
  })
}

/** A finished item. One of a kind that this page does not know shows its title and text. */
const ItemEntry = memo(function ItemEntry({ completed }: { readonly completed: CompletedItem }) {
  const { item } = completed
  switch (item.type) {
    case 'userMessage':
      return <UserMessage completed={completed} item={item} />
    case 'agentMessage':
      return (
        <article className="answer" aria-label="Answer">
          <Markdown text={item.text} />
          {item.images?.map((image) => (
            <StoredImage key={image.file} image={image} isOpen />
          ))}
        </article>
      )
    case 'reasoning':
      return <Folded className="reasoning" title={`Thought  ${reasoningHeading(item)}`} text={item.text} />
    case 'commandExecution':
    case 'shellCommand':
    case 'toolCall':
      return (
        <div className={`call ${item.status}`}>
          <CallHead item={item} />
          {item.type === 'shellCommand' ? <Sender by={item.by} /> : null}
          <CallTalk item={item} />
          {item.type === 'toolCall' && item.findings !== undefined ? <Findings findings={item.findings} /> : null}
          <CallOutput item={item} />
        </div>
      )
    case 'fileChange':
      return <Change item={item} />
    case 'contextCompaction':
      return (
        <>
          <Folded className="compaction" title={showEffects(item.title)} text={item.text} />
          <Sender by={item.by} />
        </>
      )
    case 'notice':
      return (
        <>
          <p className={`notice ${item.level}`}>
            {item.level === 'error' ? '✗ ' : item.level === 'warning' ? '! ' : ''}
            {showEffects(noticeWords(item))}
          </p>
          <Sender by={item.by} />
        </>
      )
    default:
      return <Unknown item={item} />
  }
})

function Folded({
  className,
  title,
  text,
}: {
  readonly className: string
  readonly title: string
  readonly text: string
}) {
  return (
    <details className={className}>
      <summary>{title}</summary>
      <Markdown text={text} />
    </details>
  )
}

function Change({ item }: { readonly item: ItemOf<'fileChange'> }) {
  const isShown = item.status === 'completed' || item.status === 'unknown'
  return (
    <div className={`call ${item.status}`}>
      <CallHead item={item} />
      <Sender by={item.rewind?.by ?? item.remembered?.by} />
      {isShown
        ? item.changes.map((change) => <ChangedFile key={change.path} change={change} isOpen={isShort(change)} />)
        : null}
    </div>
  )
}

/** Longest new file that is shown without opening it, in lines. */
const shownLines = 20

function isShort({ kind, additions }: FileChangeEntry): boolean {
  return kind === 'update' || (kind === 'add' && additions <= shownLines)
}

/** Shows an item of a newer server with a type unknown to this page. */
function Unknown({ item: { title, text } }: { readonly item: Pick<Item, 'title' | 'text'> }) {
  return (
    <div className="call">
      <p>{visibleLine(title)}</p>
      <pre>{stripEffects(text)}</pre>
    </div>
  )
}

/** List of a review's findings, the gravest first. */
function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  return (
    <ol className="findings">
      {findings.map((finding, at) => (
        // A report never changes.
        <li key={at}>
          <p>
            <span className={`t-${severityTones[finding.severity]}`}>{finding.severity}</span>{' '}
            <code>{visibleLine(findingPlace(finding))}</code> <strong>{visibleLine(finding.title)}</strong>
          </p>
          <p className="muted">{stripEffects(finding.why).trim()}</p>
          <Suggestion lines={suggestionLines(finding)} path={finding.file} />
        </li>
      ))}
    </ol>
  )
}

function Suggestion({ lines, path }: { readonly lines: readonly DiffLine[]; readonly path: string }) {
  if (lines.length === 0) return null
  return (
    <Scrolling className="diff" label={`Suggested change of ${path}`}>
      <DiffLines lines={lines} path={path} />
    </Scrolling>
  )
}
