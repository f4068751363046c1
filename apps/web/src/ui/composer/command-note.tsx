import type { Notice } from '@parley/presentation/notices/notice'
import { showEffects } from '@parley/presentation/text/control-characters'

interface NoteProps {
  readonly notice: Extract<Notice, { kind: 'note' | 'table' }>
  readonly onClose: () => void
}

/** Answer of a command, until it is closed. */
export function CommandNote({ notice, onClose }: NoteProps) {
  return (
    <section className="command-note" aria-label="Answer of the command" role="status">
      <div className="row">
        <strong className="grow">
          {notice.kind === 'table' ? showEffects(notice.title) : showEffects(notice.text)}
        </strong>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      {notice.kind === 'table' ? (
        <dl>
          {notice.rows.map(([name, value], index) => (
            <div key={index}>
              <dt>{showEffects(name)}</dt>
              <dd>{showEffects(value)}</dd>
            </div>
          ))}
        </dl>
      ) : null}
    </section>
  )
}
