import { type AnswerGuard, notePainted, unguarded } from '@parley/presentation/question/answers'
import { type RefObject, useEffect, useRef, useState } from 'react'

/** Attribute of the elements that must all have been on the screen. */
export const edgeAttribute = 'data-edge'

interface SeenQuestion {
  readonly box: RefObject<HTMLElement | null>
  /** Times of painting; read it when a button is pressed. */
  readonly guard: RefObject<AnswerGuard>
  readonly isSeen: boolean
}

/** Notes the edges of a question that were on the screen. `page`: part of the question, read on its own. */
export function useSeen(approvalId: string, page: string): SeenQuestion {
  const box = useRef<HTMLElement>(null)
  const guard = useRef<AnswerGuard>(unguarded)
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    const edges = new Set(box.current?.querySelectorAll(`[${edgeAttribute}]`))
    guard.current = unguarded
    setSeen(false)
    const note = () => {
      const all = edges.size === 0
      guard.current = notePainted(guard.current, { approvalId, isSeen: all }, performance.now())
      if (all) setSeen(true)
    }
    const observer = new IntersectionObserver((entries) => {
      if (document.visibilityState !== 'visible') return
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue
        edges.delete(target)
        observer.unobserve(target)
      }
      note()
    })
    for (const edge of edges) observer.observe(edge)
    // For a user who comes back to the page, the question is new.
    const comeBack = () => {
      if (document.visibilityState === 'visible') guard.current = { ...guard.current, paintedAtMs: performance.now() }
    }
    document.addEventListener('visibilitychange', comeBack)
    return () => {
      observer.disconnect()
      document.removeEventListener('visibilitychange', comeBack)
    }
  }, [approvalId, page])
  return { box, guard, isSeen }
}
