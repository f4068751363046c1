import type { Client } from '@parley/client/browser'
import { showEffects } from '@parley/presentation/text/control-characters'
import { conversationName, formatAgo, placedPath } from '@parley/presentation/text/formats'
import type { ListedConversation, Person, ResultOf } from '@parley/protocol'
import { useCallback, useEffect, useState } from 'react'
import { fragmentOf } from '../link/page-secret.ts'
import { placeName } from '../words/words.ts'
import { NewConversation } from './begin/new-conversation.tsx'

interface ListProps {
  /** Connection; null while there is no link. */
  readonly client: Client | null
  readonly place: string | null
  readonly folder: string | null
  readonly isReadOnly: boolean
  /** Person that the page acts for; undefined where the server has no users. */
  readonly person: Person | undefined
  readonly onSignOut: () => void
  readonly onProblem: (problem: string) => void
}

const pageSize = 200
const refreshMs = 60_000

/** The conversations, newest first, with a search and the way to a new one. */
export function ConversationList({ client, place, folder, isReadOnly, person, onSignOut, onProblem }: ListProps) {
  const listed = useListed(client, place)
  const [search, setSearch] = useState('')
  const named = listed.filter((one) => matches(one, search))
  const found = useFoundTexts(client, search).filter(
    ({ conversation }) => !named.some(({ conversationId }) => conversationId === conversation.conversationId),
  )
  return (
    <nav className="side" aria-label="Conversations">
      <header>
        <h1>parley</h1>
        {isReadOnly ? <span className="badge">read-only</span> : null}
        {person?.kind === 'user' ? <SignedIn name={person.name} onSignOut={onSignOut} /> : null}
      </header>
      <input
        type="search"
        value={search}
        placeholder="Search"
        aria-label="Search conversations"
        onChange={(event) => setSearch(event.target.value)}
      />
      {isReadOnly ? null : <NewConversation {...{ client, listed, folder, onProblem }} />}
      <ul>
        {named.map((one) => (
          <ListedRow key={one.conversationId} one={one} isCurrent={one.conversationId === place} />
        ))}
        {found.map(({ conversation: one, excerpt }) => (
          <ListedRow key={one.conversationId} one={one} excerpt={excerpt} isCurrent={one.conversationId === place} />
        ))}
      </ul>
      {named.length + found.length === 0 ? (
        <p className="muted">{search === '' ? 'No conversations yet.' : 'None found.'}</p>
      ) : null}
    </nav>
  )
}

function SignedIn({ name, onSignOut }: { readonly name: string; readonly onSignOut: () => void }) {
  return (
    <span className="signed-in">
      <span className="muted">{name}</span>
      <button type="button" className="quiet" onClick={onSignOut}>
        Sign out
      </button>
    </span>
  )
}

interface RowProps {
  readonly one: ListedConversation
  /** Newest place of the words; absent where the title or the folder has them. */
  readonly excerpt?: FoundText['excerpt']
  readonly isCurrent: boolean
}

function ListedRow({ one, excerpt, isCurrent }: RowProps) {
  const { cwd, environment, updatedAt, live, forkedFrom, newer } = one
  return (
    <li>
      <a href={fragmentOf(one.conversationId)} aria-current={isCurrent ? 'page' : undefined}>
        <span className="title">{showEffects(conversationName(one))}</span>
        <span className="muted">
          {showEffects(placeName(cwd, environment))} · {formatAgo(updatedAt, Date.now())}
          {forkedFrom === null ? '' : ' · copy'}
          {live === null ? '' : ' · open'}
          {newer === true ? ' · of a newer parley' : ''}
        </span>
        {excerpt === undefined ? null : (
          <span className="excerpt">
            {beforeWords(excerpt.before)}
            <mark>{showEffects(excerpt.words)}</mark>
            {showEffects(excerpt.after)}
          </span>
        )}
      </a>
    </li>
  )
}

/** Letters before the words that a row has room for. */
const shownBefore = 16

/** Returns the end of the text before the words, so that these are in sight. */
function beforeWords(before: string): string {
  const letters = [...showEffects(before)]
  return letters.length <= shownBefore ? letters.join('') : `…${letters.slice(-shownBefore).join('')}`
}

function matches({ name, title, cwd, environment, conversationId }: ListedConversation, search: string): boolean {
  const text = `${name ?? ''} ${title} ${placedPath(cwd, environment, '')} ${conversationId}`.toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

/** Lists anew when the server says that the list changed, and when the link, the place or the page's visibility did. */
function useListed(client: Client | null, place: string | null): readonly ListedConversation[] {
  const [listed, setListed] = useState<readonly ListedConversation[]>([])
  const read = useCallback(async () => {
    if (client === null || document.visibilityState !== 'visible') return
    const { conversations } = await client.request('conversation/list', { limit: pageSize, follow: true })
    setListed(conversations)
  }, [client])
  useEffect(() => {
    const again = () => void read().catch(() => undefined)
    again()
    const unfollow = client?.onListChanged(again)
    document.addEventListener('visibilitychange', again)
    // For the shown times, and for folders on systems that do not report changes.
    const timer = setInterval(again, refreshMs)
    return () => {
      unfollow?.()
      document.removeEventListener('visibilitychange', again)
      clearInterval(timer)
    }
  }, [client, read, place])
  return listed
}

/** Conversation with the searched words in its texts, with the newest place. */
type FoundText = ResultOf<'conversation/search'>['found'][number]

const none: readonly FoundText[] = []
/** Letters from which on texts are searched: shorter words fit almost all of them. */
const soughtLetters = 2
const mostFound = 50
/** Pause after a letter before a search begins. */
const typingMs = 250

/** Finds conversations by all that was said in them, once no letter has come for a moment. */
function useFoundTexts(client: Client | null, search: string): readonly FoundText[] {
  const query = search.trim()
  const [found, setFound] = useState(none)
  useEffect(() => {
    if (client === null || query.length < soughtLetters) {
      setFound(none)
      return undefined
    }
    let isOver = false
    const ask = () =>
      client.request('conversation/search', { query, limit: mostFound, archived: false }).then(
        (answer) => isOver || setFound(answer.found),
        // The list by titles stays.
        () => isOver || setFound(none),
      )
    const timer = setTimeout(() => void ask(), typingMs)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [client, query])
  return found
}
