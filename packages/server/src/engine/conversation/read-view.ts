import { timeSlices } from '@parley/host'
import type { ModelView } from '../../core/model-view.ts'

/** Tells if the next request holds parts that are still in the log only, as after an opening from a checkpoint. */
export function isUnread(view: ModelView): boolean {
  return view.reading().next().done !== true
}

/** Reads what the next request holds from the log, and lets other work run in between. */
export async function readView(view: ModelView): Promise<void> {
  const slices = timeSlices()
  for (const _ of view.reading()) if (slices.isOver()) await slices.next()
}
