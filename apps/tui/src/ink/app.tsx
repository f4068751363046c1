import { Box, Static, Text, useCursor } from 'ink'
import { memo, type ReactNode } from 'react'
import type { Caret } from '../view/screen.ts'

/** Rows that go to the scrollback in one write. */
export interface Batch {
  readonly number: number
  readonly text: string
}

interface ScreenProps {
  readonly batch: Batch | null
  readonly live: string
  readonly caret: Caret | null
}

/** The two zones: what is settled is written once, above; the live zone is drawn anew below it. */
export function ScreenView({ batch, live, caret }: ScreenProps): ReactNode {
  const { setCursorPosition } = useCursor()
  setCursorPosition(caret === null ? undefined : { x: caret.column, y: caret.row })
  return (
    <Box flexDirection="column">
      <Settled batch={batch} />
      <Text wrap="truncate">{live}</Text>
    </Box>
  )
}

/**
 * Memoised, since a Static that renders again bypasses the frame limit. Each batch is a Static of its own, so that
 * nothing of what is printed stays in memory.
 */
const Settled = memo(function Settled({ batch }: { readonly batch: Batch | null }): ReactNode {
  if (batch === null) return null
  return (
    <Static key={batch.number} items={[batch.text]}>
      {(text) => (
        <Text key="rows" wrap="truncate">
          {text}
        </Text>
      )}
    </Static>
  )
})
