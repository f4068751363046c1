import type { ConversationState } from '@parley/protocol'
import { type ReactNode, useCallback, useState } from 'react'
import type { BackPoint, GoBack } from '../transcript/access.ts'
import { RewindList, RewindPanel } from './rewind-panel.tsx'

interface Rewinding {
  readonly goBack: GoBack
  /** Panel to show above the composer; null while nobody goes back. */
  readonly panel: ReactNode
}

interface RewindRequest {
  /** Number of the request, so that the same point is planned anew. */
  readonly key: number
  /** Point to go back to; null while it is chosen. */
  readonly point: BackPoint | null
}

/** Goes back on request of a command, or of a message. */
export function useRewind({ window }: Pick<ConversationState, 'window'>): Rewinding {
  const [shown, setShown] = useState<RewindRequest | null>(null)
  const close = () => setShown(null)
  const goBack = useCallback<GoBack>((point) => setShown((before) => ({ key: (before?.key ?? 0) + 1, point })), [])
  const panel =
    shown === null ? null : shown.point !== null ? (
      <RewindPanel key={shown.key} point={shown.point} onClose={close} />
    ) : (
      <RewindList
        messages={window.filter(({ item }) => item.type === 'userMessage')}
        onChoose={goBack}
        onClose={close}
      />
    )
  return { goBack, panel }
}
