import type { ConversationId } from '@parley/protocol'
import { useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import {
  type FollowedConversation,
  type FollowedSnapshot,
  followConversation,
  notFollowed,
} from './followed-conversation.ts'
import type { LinkState, PageLink } from './link.ts'
import { readFragment } from './page-secret.ts'

export function useLinkState(link: PageLink): LinkState {
  return useSyncExternalStore(link.subscribe, () => link.state)
}

/** Follows a conversation while the component is there. */
export function useConversation(link: PageLink, conversationId: ConversationId): FollowedSnapshot {
  const [followed, setFollowed] = useState<FollowedConversation | null>(null)
  useEffect(() => {
    const opened = followConversation(link, conversationId)
    setFollowed(opened)
    return () => {
      setFollowed(null)
      opened.close()
    }
  }, [link, conversationId])
  const subscribe = useCallback(
    (listener: () => void) => followed?.subscribe(listener) ?? (() => undefined),
    [followed],
  )
  return useSyncExternalStore(subscribe, () => followed?.snapshot ?? notFollowed)
}

/** Returns the conversation that the address names; null for the list. */
export function usePlace(): string | null {
  return useSyncExternalStore(listenToPlace, () => readFragment(location.hash).conversation)
}

function listenToPlace(listener: () => void): () => void {
  addEventListener('hashchange', listener)
  return () => removeEventListener('hashchange', listener)
}

/** Returns the time in ms since the epoch, once a second while `isRunning`. */
export function useSeconds(isRunning: boolean): number {
  const [nowMs, setNow] = useState(Date.now)
  useEffect(() => {
    if (!isRunning) return undefined
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [isRunning])
  return nowMs
}
