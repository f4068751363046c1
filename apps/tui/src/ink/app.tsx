import { Box, Text } from 'ink'
import { memo, type ReactNode } from 'react'
import type { LivePart } from '../view/live-zone.ts'

/** Painted rows of each part of the live zone, joined by line ends; null for parts that are not shown. */
export type PaintedZone = Readonly<Record<LivePart, string | null>>

/** The live zone, below the transcript, which the terminal keeps. */
export function App({ live }: { readonly live: PaintedZone }): ReactNode {
  return (
    <Box flexDirection="column">
      <RunningItems text={live.running} />
      <Approval text={live.approval} />
      <Activity text={live.activity} />
      <Queue text={live.queue} />
      {live.menu === null ? <Composer text={live.composer} /> : <Menu text={live.menu} />}
      <Completions text={live.completions} />
      <StatusLine text={live.status} />
    </Box>
  )
}

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

/** Text that the user writes. */
const Composer = memo(function Composer({ text }: PartProps): ReactNode {
  return <Rows text={text} />
})

/** List to choose from, in place of the composer. */
const Menu = memo(function Menu({ text }: PartProps): ReactNode {
  return <Rows text={text} />
})

/** Commands that complete the text. */
const Completions = memo(function Completions({ text }: PartProps): ReactNode {
  return <Rows text={text} />
})

/** Model, folder and limits of the conversation. */
const StatusLine = memo(function StatusLine({ text }: PartProps): ReactNode {
  return <Rows text={text} />
})

function Rows({ text }: PartProps): ReactNode {
  // Ink gives an empty text no height, but a blank row has one.
  return text === null ? null : <Text wrap="truncate">{text === '' ? ' ' : text}</Text>
}
