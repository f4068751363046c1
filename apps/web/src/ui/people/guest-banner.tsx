import { type ConversationCore, ownersOf, type Person } from '@parley/protocol'
import { useEffect, useState } from 'react'

interface GuestBannerProps {
  readonly person: Person & { readonly kind: 'guest' }
  readonly core: ConversationCore
}

/** Longest delay of a timer. */
const maxDelayMs = 2 ** 31 - 1

/** Names the owner of the conversation behind a link and the end of the link, or says that it has ended. */
export function GuestBanner({ person, core: { meta } }: GuestBannerProps) {
  const link = meta.access?.links.find(({ codeHash }) => codeHash === person.codeHash)
  const expiresAt = link?.expiresAt ?? null
  const isOver = useIsOver(expiresAt)
  if (person.codeHash === undefined)
    return (
      <p className="banner" role="status">
        This link shows this conversation, to watch, and no other.
      </p>
    )
  if (expiresAt === null) return null
  if (isOver)
    return (
      <p className="banner" role="status">
        This link has expired. What is shown here is all there is.
      </p>
    )
  const owners = ownersOf(meta.access).join(' and ')
  return (
    <p className="banner" role="status">
      {owners === '' ? 'Shared with you' : `Shared by ${owners}`}, to read, until {untilText(expiresAt)}.
    </p>
  )
}

/** Returns true from that time on: no event comes then. */
function useIsOver(timeMs: number | null): boolean {
  const [nowMs, setNow] = useState(Date.now)
  const leftMs = timeMs === null ? null : timeMs - nowMs
  useEffect(() => {
    if (leftMs === null || leftMs <= 0) return undefined
    const timer = setTimeout(() => setNow(Date.now()), Math.min(leftMs, maxDelayMs))
    return () => clearTimeout(timer)
  }, [leftMs])
  return leftMs !== null && leftMs <= 0
}

function untilText(timeMs: number): string {
  return new Date(timeMs).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
}
