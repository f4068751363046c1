import { useEffect, useState } from 'react'
import { useLinkState, usePlace } from '../link/hooks.ts'
import type { LinkState, PageLink } from '../link/link.ts'
import { ConversationList } from './conversation-list.tsx'
import { ConversationScreen } from './conversation-screen.tsx'
import { SignIn } from './people/sign-in.tsx'

interface AppProps {
  readonly link: PageLink
  /** Folder of a new conversation by default; null without a default. */
  readonly folder: string | null
}

/** The whole page: the list at the left, a conversation beside it; on a phone one of them. */
export function App({ link, folder }: AppProps) {
  const state = useLinkState(link)
  const { person } = link
  const chosen = usePlace()
  // A visitor with a link to one conversation has nothing to choose.
  const place = person?.kind === 'guest' ? person.conversationId : chosen
  const [problem, setProblem] = useState<string | null>(null)
  // A problem belongs to the view in which it happened.
  useEffect(() => setProblem(null), [place])
  if (state.kind === 'notAdmitted')
    return state.offersSignIn ? <SignIn rejected={state.rejected} onSignIn={link.signIn} /> : <NotAdmitted />
  const client = state.kind === 'up' ? state.client : null
  const isReadOnly = state.kind === 'up' && state.access === 'readOnly'
  return (
    <div className="app" data-place={person?.kind === 'guest' ? 'alone' : place === null ? 'list' : 'conversation'}>
      {person?.kind === 'guest' ? null : (
        <ConversationList
          {...{ client, place, folder, isReadOnly, person, onProblem: setProblem }}
          onSignOut={link.signOut}
        />
      )}
      {place === null ? (
        <main className="empty">
          <p>Choose a conversation, or begin one.</p>
        </main>
      ) : (
        <ConversationScreen key={place} {...{ link, conversationId: place, isReadOnly, onProblem: setProblem }} />
      )}
      <LinkBar state={state} hasUsers={person !== undefined} onRetry={() => link.check()} />
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

interface LinkBarProps {
  readonly state: LinkState
  readonly hasUsers: boolean
  readonly onRetry: () => void
}

function LinkBar({ state, hasUsers, onRetry }: LinkBarProps) {
  if (state.kind !== 'lost') return null
  return (
    <div className="link-bar" role="status">
      <span>
        The server does not answer. Everything shown is saved, and this page goes on by itself.
        {hasUsers ? null : (
          <>
            {' '}
            If the server was ended, <code>parley web</code> makes a new link.
          </>
        )}
      </span>
      <button type="button" onClick={onRetry}>
        Try now
      </button>
    </div>
  )
}
