import { useEffect, useState } from 'react'
import type { Link, LinkState } from '../link/link.ts'
import { ConversationList } from './conversation-list.tsx'
import { ConversationScreen } from './conversation-screen.tsx'
import { useLinkState, usePlace } from './hooks.ts'

interface AppProps {
  readonly link: Link
  /** Folder that a new conversation works in unless told; null for none. */
  readonly folder: string | null
}

/** The whole page: the list at the left, a conversation beside it; on a phone one of them. */
export function App({ link, folder }: AppProps) {
  const state = useLinkState(link)
  const place = usePlace()
  const [problem, setProblem] = useState<string | null>(null)
  // A problem is about what was tried where it is shown.
  useEffect(() => setProblem(null), [place])
  if (state.kind === 'notAdmitted') return <NotAdmitted />
  const client = state.kind === 'up' ? state.client : null
  const isReadOnly = state.kind === 'up' && state.access === 'readOnly'
  return (
    <div className="app" data-place={place === null ? 'list' : 'conversation'}>
      <ConversationList {...{ client, place, folder, isReadOnly, onProblem: setProblem }} />
      {place === null ? (
        <main className="empty">
          <p>Choose a conversation, or begin one.</p>
        </main>
      ) : (
        <ConversationScreen key={place} {...{ link, conversationId: place, isReadOnly, onProblem: setProblem }} />
      )}
      <LinkBar state={state} onRetry={() => link.check()} />
      {problem === null ? null : (
        <div className="problem" role="alert">
          <p>{problem}</p>
          <button type="button" onClick={() => setProblem(null)}>
            Close
          </button>
        </div>
      )}
    </div>
  )
}

function NotAdmitted() {
  return (
    <main className="not-admitted">
      <h1>This link does not open anything any more</h1>
      <p>
        A link can be opened once, within 60 seconds, and holds for its tab as long as the server runs. Run{' '}
        <code>parley web</code> for a new one, or press Enter where it runs.
      </p>
    </main>
  )
}

function LinkBar({ state, onRetry }: { readonly state: LinkState; readonly onRetry: () => void }) {
  if (state.kind !== 'lost') return null
  return (
    <div className="link-bar" role="status">
      <span>
        The server does not answer. Everything shown is saved, and this page goes on by itself. If the server was ended,{' '}
        <code>parley web</code> makes a new link.
      </span>
      <button type="button" onClick={onRetry}>
        Try now
      </button>
    </div>
  )
}
