import type { ReactNode, Ref } from 'react'

interface ScrollingProps {
  readonly label: string
  readonly className: string
  readonly ref?: Ref<HTMLElement>
  readonly children: ReactNode
}

/** Role of a scrolling box: a region would be a landmark, and a page should have few landmarks. */
const role = 'group'

/** A part that scrolls by itself: it can be reached by keys, and has a name. */
export function Scrolling({ label, className, ref, children }: ScrollingProps) {
  return (
    <section role={role} className={className} ref={ref} tabIndex={0} aria-label={label}>
      {children}
    </section>
  )
}
