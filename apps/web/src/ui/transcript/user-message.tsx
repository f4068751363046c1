import { inputText } from '@parley/presentation/items/item-words'
import { showEffects, stripEffects } from '@parley/presentation/text/control-characters'
import {
  type Actor,
  type CompletedItem,
  type ContentItem,
  type ItemOf,
  type Picture,
  shownReviewRequest,
} from '@parley/protocol'
import { errorMessage } from '@parley/text'
import { useState } from 'react'
import { readFileUrl } from '../../link/read-file.ts'
import { senderWords } from '../../words/words.ts'
import { useAccess } from './access.ts'
import { WholeText } from './whole-text.tsx'

interface MessageProps {
  readonly completed: CompletedItem
  readonly item: ItemOf<'userMessage'>
}

/** A message of a user with its images, and the way to go back to before it. */
export function UserMessage({ completed, item }: MessageProps) {
  const goBack = useAccess()?.goBack ?? null
  return (
    <article className="own" aria-label="Your message">
      <div className="own-head">
        <div className="own-text">
          {stripEffects(shownReviewRequest(item.text) ?? (inputText(item.content) || item.text))}
        </div>
        {goBack === null ? null : (
          <button type="button" className="quiet" onClick={() => goBack(completed)}>
            Go back to before this …
          </button>
        )}
      </div>
      <Sender by={item.by} />
      {item.content.map((part, index) => (
        <Part key={index} part={part} />
      ))}
    </article>
  )
}

/** Names the author of an entry; nothing for a page without a user. */
export function Sender({ by }: { readonly by: Actor | undefined }) {
  const sender = senderWords(by)
  return sender === null ? null : <p className="sender muted">{sender}</p>
}

function Part({ part }: { readonly part: ContentItem }) {
  if (part.type === 'image') return <StoredImage image={part} />
  const { file, totalBytes = 0 } = part
  return file === undefined ? null : <WholeText file={file} totalBytes={totalBytes} label="Whole message" />
}

interface StoredImageProps {
  readonly image: Picture
  /** True for one that is open from the beginning. */
  readonly isOpen?: boolean
}

/** An image of a message, which is loaded when it is opened. */
export function StoredImage({ image: { file, mediaType, name }, isOpen = false }: StoredImageProps) {
  const access = useAccess()
  const [url, setUrl] = useState<string | null>(null)
  if (access === null) return <span className="badge">{imageWords(name)}</span>
  const { client, conversationId, onProblem } = access
  const load = () => {
    if (client === null || url !== null) return
    readFileUrl(client, { conversationId, file }, mediaType).then(setUrl, (error: unknown) =>
      onProblem(errorMessage(error)),
    )
  }
  return (
    <details className="image" open={isOpen} onToggle={load}>
      <summary>{imageWords(name)}</summary>
      {url === null ? <p className="muted">Loading …</p> : <img src={url} alt={imageWords(name)} />}
    </details>
  )
}

/** Returns the words for an image; one that was pasted has no name of its own. */
function imageWords(name: string): string {
  return name === 'image' ? 'image' : `image ${showEffects(name)}`
}
