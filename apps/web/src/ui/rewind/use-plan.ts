import { pointBefore } from '@parley/presentation/rewind/point-before'
import type { RewindPlan } from '@parley/protocol'
import { errorMessage } from '@parley/text'
import { useEffect, useState } from 'react'
import { type BackPoint, type EntryContext, useAccess } from '../transcript/access.ts'
import { readsOf } from './go-on-before.ts'

/** Plan to go back, as it is shown. */
export interface ShownPlan extends RewindPlan {
  readonly overwrite: boolean
}

interface Planning {
  /** Plan to show; null until it is there. */
  readonly plan: ShownPlan | null
  readonly problem: string | null
  /** Plans anew, with files that somebody else changed since. */
  readonly overwrite: () => void
}

/** Plans to bring files back to how they were at a point; changes nothing. */
export function usePlan(point: BackPoint): Planning {
  const access = useAccess()
  const [overwrite, setOverwrite] = useState(false)
  const [planned, setPlanned] = useState<Omit<Planning, 'overwrite'>>({ plan: null, problem: null })
  useEffect(() => {
    let isOver = false
    const show = (shown: typeof planned) => isOver || setPlanned(shown)
    planOf(point, access, overwrite).then(
      (plan) => show({ plan: plan === null ? null : { ...plan, overwrite }, problem: null }),
      (error: unknown) => show({ plan: null, problem: errorMessage(error) }),
    )
    return () => {
      isOver = true
    }
  }, [point, access, overwrite])
  return { ...planned, overwrite: () => setOverwrite(true) }
}

/** Returns the plan; null without a link. */
async function planOf(point: BackPoint, access: EntryContext | null, overwrite: boolean): Promise<RewindPlan | null> {
  const { client = null, conversationId } = access ?? {}
  if (client === null || conversationId === undefined) return null
  const to = 'to' in point ? point.to : ((await pointBefore(readsOf(client, conversationId), point)) ?? 0)
  return client.request('conversation/rewind/plan', { conversationId, to, overwrite })
}
