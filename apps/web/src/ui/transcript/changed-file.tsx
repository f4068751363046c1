import { pathText } from '@parley/presentation/items/item-words'
import { countOf } from '@parley/presentation/text/formats'
import type { FileChangeEntry } from '@parley/protocol'
import { Diff } from './diff.tsx'

interface ChangedFileProps {
  readonly change: FileChangeEntry
  readonly isOpen: boolean
}

/** A file that was or would be changed, with its diff on request. */
export function ChangedFile({ change, isOpen }: ChangedFileProps) {
  return (
    <details open={isOpen}>
      <summary>
        <code>{pathText(change)}</code> <Size change={change} />
      </summary>
      <Diff diff={change.diff} path={change.movedTo ?? change.path} />
    </details>
  )
}

/** Says how much of a file changes; of a new one its length, as the terminal does. */
function Size({ change: { kind, additions, deletions } }: Pick<ChangedFileProps, 'change'>) {
  if (kind === 'delete') return <span className="t-bad">deleted</span>
  if (kind === 'add') return <span className="muted">new, {countOf(additions, 'line')}</span>
  return (
    <>
      <span className="t-good">+{additions}</span> <span className="t-bad">−{deletions}</span>
    </>
  )
}
