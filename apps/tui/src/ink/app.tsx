import { Box, Static, Text, useCursor } from 'ink'
import { memo, type ReactNode } from 'react'
import type { LivePart, Position } from '../view/live-zone.ts'

/** Rows appended to the transcript in one write. */
export interface Batch {
  readonly number: number
  readonly text: string
}

/** Painted rows of each part of the live zone, joined by line ends; null for parts that are not shown. */
export type PaintedZone = Readonly<Record<LivePart, string | null>>

interface AppProps {
  readonly batch: Batch | null
  readonly live: PaintedZone
  /** Position of the terminal's cursor within the live zone; null hides it. */
  readonly cursor: Position | null
}

/** The whole screen: the transcript, which the terminal keeps, and the live zone below it, which is redrawn. */
export function App({ batch, live, cursor }: AppProps): ReactNode {
  const at = { row: cursor?.row ?? null, column: cursor?.column ?? null }
  return (
    <Box flexDirection="column">
      <Transcript batch={batch} />
      <RunningItems text={live.running} />
      <Approval text={live.approval} />
      <Activity text={live.activity} />
      <Queue text={live.queue} />
      {live.menu === null ? <Composer text={live.composer} {...at} /> : <Menu text={live.menu} {...at} />}
      <Completions text={live.completions} />
      <StatusLine text={live.status} />
    </Box>
  )
}

/**
 * Appends rows to the terminal's scrollback. Each batch is a `Static` of its own, so that printed rows do not stay in
 * memory; memoised, because a `Static` that renders again bypasses the frame limit.
 */
const Transcript = memo(function Transcript({ batch }: Pick<AppProps, 'batch'>): ReactNode {
  if (batch === null) return null
  return (
    <Static key={batch.number} items={[batch.text]}>
      {(text) => <Rows key="rows" text={text} />}
    </Static>
  )
})

/** A part is memoised: it renders again only when its rows change. */
interface PartProps {
  readonly text: string | null
}

/** Items that stream or run. */
const RunningItems = memo(function RunningItems({ text }: PartProps): ReactNode {
  return <Rows text={text} />
})

/** Question whether a call may run, with the answers to it. */
const Approval = memo(function Approval({ text }: PartProps): ReactNode {
  return <Rows text={text} />
})

/** Line that describes the current work. */
const Activity = memo(function Activity({ text }: PartProps): ReactNode {
  return <Rows text={text} />
})

/** Messages that are not yet part of the conversation. */
const Queue = memo(function Queue({ text }: PartProps): ReactNode {
  return <Rows text={text} />
})

interface InputProps extends PartProps {
  /** Position of the terminal's cursor within the live zone; null hides it. */
  readonly row: number | null
  readonly column: number | null
}

/** Text that the user writes. */
const Composer = memo(function Composer(props: InputProps): ReactNode {
  return <InputRows {...props} />
})

/** List to choose from, in place of the composer. */
const Menu = memo(function Menu(props: InputProps): ReactNode {
  return <InputRows {...props} />
})

/** Commands that complete the text. */
const Completions = memo(function Completions({ text }: PartProps): ReactNode {
  return <Rows text={text} />
})

/** Model, folder and limits of the conversation. */
const StatusLine = memo(function StatusLine({ text }: PartProps): ReactNode {
  return <Rows text={text} />
})

/** Rows with the terminal's cursor at the caret, where input methods open their windows. */
function InputRows({ text, row, column }: InputProps): ReactNode {
  const { setCursorPosition } = useCursor()
  setCursorPosition(row === null || column === null ? undefined : { x: column, y: row })
  return <Rows text={text} />
}

function Rows({ text }: PartProps): ReactNode {
  // Ink gives an empty text no height, but a blank row has one.
  return text === null ? null : <Text wrap="truncate">{text === '' ? ' ' : text}</Text>
}
