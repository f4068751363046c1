import { timeSlices } from '@parley/host'
import type { ModelView } from '../core/model-view.ts'
import type { Preview } from '../core/view/view-blocks.ts'

/** Tells if the next request holds parts that are still in the log only, as after an opening from a checkpoint. */
export function isUnread(view: ModelView): boolean {
  return view.reading().next().done !== true
}

/** Reads what the next request holds from the log, and lets other work run in between. */
export async function readView(view: ModelView, how: Preview = {}): Promise<void> {
  const slices = timeSlices()
  for (const _ of view.reading(how)) if (slices.isOver()) await slices.next()
}
