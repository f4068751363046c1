import { showEffects } from '@parley/presentation/text/control-characters'
import { type ConversationState, endedAccess, type Person, shortIdOf } from '@parley/protocol'
import { useEffect } from 'react'
import type { Ask } from '../link/ask.ts'
import type { Elsewhere } from '../link/followed-conversation.ts'
import { fragmentOf } from '../link/page-secret.ts'
import { AboutConversation } from './about-conversation.tsx'
import { GuestBanner } from './people/guest-banner.tsx'
import type { May } from './people/may.ts'
import { goTo } from './rewind/go-on-before.ts'

interface HeadProps extends Pick<ConversationState, 'core'> {
  readonly person: Person | undefined
  readonly may: May
  readonly isTakenAway: boolean
  readonly elsewhere: Elsewhere | null
  readonly ask: Ask
  readonly isSearched: boolean
  readonly setSearched: (isSearched: boolean) => void
}

/** Shows the title of a conversation, its actions, and the reason why this page may not take part. */
export function Head({ core, person, isTakenAway, elsewhere, ...buttons }: HeadProps) {
  const isGuest = person?.kind === 'guest'
  return (
    <>
      <TitleRow core={core} {...buttons} isAlone={isGuest} />
      {isGuest ? <GuestBanner {...{ person, core }} /> : null}
      {isTakenAway ? <TakenAway {...{ core, person }} /> : null}
      {elsewhere === null ? null : <OpenElsewhere {...elsewhere} shortId={shortIdOf(core.meta.conversationId)} />}
    </>
  )
}

interface TitleRowProps extends Pick<HeadProps, 'core' | 'may' | 'ask' | 'isSearched' | 'setSearched'> {
  /** True for a page without a list. */
  readonly isAlone: boolean
}

function TitleRow({ core, may, ask, isAlone, isSearched, setSearched }: TitleRowProps) {
  const { conversationId } = core.meta
  const fork = () =>
    ask(async (client) => goTo((await client.request('conversation/fork', { conversationId })).conversationId))
  return (
    <header className="head">
      {isAlone ? null : (
        <a className="back" href={fragmentOf(null)} aria-label="All conversations">
          ‹
        </a>
      )}
      <AboutConversation core={core} />
      <button type="button" aria-pressed={isSearched} onClick={() => setSearched(!isSearched)}>
        Find
      </button>
      {!may.copy || core.seq === 0 ? null : (
        <button type="button" className="fork" onClick={fork} title="Go on in a copy of this conversation">
          Fork
        </button>
      )}
    </header>
  )
}

function TakenAway({ core: { meta }, person }: Pick<HeadProps, 'core' | 'person'>) {
  const { whole, ask } = endedAccess(person, meta.access)
  return (
    <p className="banner" role="status">
      {whole} {ask === null ? null : person?.kind === 'user' ? `${ask}: this page goes on by itself then.` : `${ask}.`}
    </p>
  )
}

function OpenElsewhere({ page, shortId }: Elsewhere & { readonly shortId: string }) {
  return (
    <p className="banner" role="status">
      {page === null ? 'Another process' : 'Another server'} has this conversation open; here it is as it was a moment
      ago.{' '}
      {page === null ? (
        <>
          Run <code>parley web {shortId}</code> for a page that takes part.
        </>
      ) : (
        <>
          <a href={page}>Its page there</a> takes part.
        </>
      )}
    </p>
  )
}

interface Titled {
  readonly isAsked: boolean
  /** True for one that is shown as it was. */
  readonly isStill: boolean
}

/** Says in the title of the tab that a question waits, or that a turn runs. */
export function useTitle({ core }: ConversationState, { isAsked, isStill }: Titled): void {
  const name = showEffects(core.meta.name ?? core.meta.title)
  const mark = isStill ? '' : isAsked ? '? ' : core.turn !== null ? '· ' : ''
  useEffect(() => {
    document.title = `${mark}${name === '' ? 'parley' : name}`
    return () => {
      document.title = 'parley'
    }
  }, [mark, name])
}
