import type { Item, ItemOf } from '@parley/protocol'
import { pathText, showEffects, stripEffects, visibleLine } from 'parley/page-rules'
import { memo } from 'react'
import { CallHead, CallOutput } from './call-entry.tsx'
import { Diff } from './diff.tsx'
import { Markdown } from './markdown.tsx'

/** A finished item. One of a kind that this page does not know shows its title and text. */
export const ItemEntry = memo(function ItemEntry({ item }: { readonly item: Item }) {
  switch (item.type) {
    case 'userMessage':
      return <UserMessage item={item} />
    case 'agentMessage':
      return (
        <article className="answer" aria-label="Answer">
          <Markdown text={item.text} />
        </article>
      )
    case 'reasoning':
      return <Folded className="reasoning" title="Thought" text={item.text} />
    case 'commandExecution':
    case 'shellCommand':
    case 'toolCall':
      return (
        <div className={`call ${item.status}`}>
          <CallHead item={item} />
          <CallOutput item={item} />
        </div>
      )
    case 'fileChange':
      return <Change item={item} />
    case 'contextCompaction':
      return <Folded className="compaction" title="Compacted: the model goes on from a summary" text={item.text} />
    case 'notice':
      return (
        <p className={`notice ${item.level}`}>
          {item.level === 'error' ? '✗ ' : item.level === 'warning' ? '! ' : ''}
          {showEffects(item.text)}
        </p>
      )
    default:
      return <Unknown item={item} />
  }
})

function UserMessage({ item }: { readonly item: ItemOf<'userMessage'> }) {
  const images = item.content.filter((part) => part.type === 'image').map(({ name }) => name)
  return (
    <article className="own" aria-label="Your message">
      {stripEffects(item.text)}
      {images.map((name) => (
        <span key={name} className="badge">
          image {showEffects(name)}
        </span>
      ))}
    </article>
  )
}

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
      {isShown
        ? item.changes.map((change) => (
            <details key={change.path} open={change.kind === 'update'}>
              <summary>
                <code>{pathText(change)}</code>{' '}
                {change.kind === 'delete' ? <span className="t-bad">deleted</span> : null}{' '}
                <span className="t-good">+{change.additions}</span> <span className="t-bad">−{change.deletions}</span>
              </summary>
              <Diff diff={change.diff} path={change.movedTo ?? change.path} />
            </details>
          ))
        : null}
    </div>
  )
}

/** Shows an item of a newer server, of which the types know nothing. */
function Unknown({ item: { title, text } }: { readonly item: Pick<Item, 'title' | 'text'> }) {
  return (
    <div className="call">
      <p>{visibleLine(title)}</p>
      <pre>{stripEffects(text)}</pre>
    </div>
  )
}
