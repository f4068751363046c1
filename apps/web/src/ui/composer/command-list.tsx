import { useEffect, useRef } from 'react'
import type { Choices } from './use-choices.ts'

/** List of completing commands, above the text field, which keeps the focus and the keys. */
export function CommandList({ id, list, chosen, choose }: Choices) {
  const current = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    current.current?.scrollIntoView({ block: 'nearest' })
  })
  return (
    <div id={id} className="choices" role="listbox" tabIndex={-1} aria-label="Completions" hidden={list.length === 0}>
      {list.map((choice, index) => (
        <button
          key={choice.label}
          id={`${id}-${index}`}
          type="button"
          role="option"
          tabIndex={-1}
          aria-selected={index === chosen}
          {...(index === chosen ? { ref: current } : {})}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => choose(choice)}
        >
          <strong>{choice.label}</strong> <span className="muted">{choice.about}</span>
        </button>
      ))}
    </div>
  )
}
