import type { ReactNode } from 'react'
import { edgeAttribute } from './use-seen.ts'

/** A part of a question that must have been on the screen from its first row to its last. */
export function Part({ children }: { readonly children: ReactNode }) {
  return (
    <div className="part">
      <i className="edge" {...{ [edgeAttribute]: '' }} />
      {children}
      <i className="edge" {...{ [edgeAttribute]: '' }} />
    </div>
  )
}
