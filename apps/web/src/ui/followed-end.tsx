import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'

/** Distance to the end in pixels within which a reader is at it. */
const nearEndPixels = 80

/** Box that keeps its end in view until its reader scrolls away from it. */
export interface FollowedEnd {
  readonly box: RefObject<HTMLElement | null>
  readonly content: RefObject<HTMLDivElement | null>
  /** False while the reader looks at something earlier. */
  readonly isAtEnd: boolean
  readonly goToEnd: () => void
}

/** Keeps the end of `box` in view while `content` or the box itself changes its size. */
export function useFollowedEnd(): FollowedEnd {
  const box = useRef<HTMLElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const follows = useRef(true)
  const [isAtEnd, setAtEnd] = useState(true)
  const goToEnd = useCallback(() => {
    follows.current = true
    setAtEnd(true)
    box.current?.scrollTo(0, box.current.scrollHeight)
  }, [])
  useEffect(() => {
    const element = box.current
    if (element === null || content.current === null) return undefined
    let before = placeOf(element)
    const note = () => {
      const now = placeOf(element)
      const isNear = now.height - now.top - element.clientHeight < nearEndPixels
      // A layout that changes moves the end away, and also scrolls; only a reader scrolls up while nothing shrinks.
      const isLeft = now.top < before.top && now.height >= before.height
      if (isNear || isLeft) follows.current = isNear
      setAtEnd(follows.current)
      before = now
    }
    const follow = () => {
      if (follows.current) element.scrollTo(0, element.scrollHeight)
    }
    const observer = new ResizeObserver(follow)
    observer.observe(element)
    observer.observe(content.current)
    element.addEventListener('scroll', note, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', note)
    }
  }, [])
  return { box, content, isAtEnd, goToEnd }
}

function placeOf({ scrollTop, scrollHeight }: HTMLElement) {
  return { top: scrollTop, height: scrollHeight }
}

/** Button over the end of the box, for a reader who has scrolled away. */
export function ToEnd({ isAtEnd, goToEnd }: Pick<FollowedEnd, 'isAtEnd' | 'goToEnd'>) {
  return isAtEnd ? null : (
    <div className="to-end">
      <button type="button" onClick={goToEnd}>
        ↓ Newest
      </button>
    </div>
  )
}
