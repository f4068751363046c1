import type { Item, Plan } from '@parley/protocol'
import type { ItemBody, ThreadEvent } from './thread-event.ts'

/** The lines about items. */
export interface ItemLines {
  know(item: Item): void
  /** An item that has no beginning of its own. */
  whole(body: ItemBody): void
  begin(itemId: string, bodyOf: (item: Item) => ItemBody | null): void
  finish(itemId: string, body: ItemBody | null): void
  plan(plan: Plan): void
  /** The plan is done with when the turn is. */
  closePlan(): void
}

/** Numbers items as they first appear, and keeps what a later line of one needs. */
export function createItemLines(write: (event: ThreadEvent) => void): ItemLines {
  const known = new Map<string, Item>()
  const begun = new Map<string, string>()
  let count = 0
  let plan: { readonly id: string; readonly body: ItemBody } | null = null

  function nextId(): string {
    count += 1
    return `item_${count - 1}`
  }

  return {
    know: (item) => void known.set(item.id, item),
    whole: (body) => write({ type: 'item.completed', item: { id: nextId(), ...body } }),
    begin(itemId, bodyOf) {
      const item = known.get(itemId)
      const body = item === undefined ? null : bodyOf(item)
      // A second attempt is the same item.
      if (body === null || begun.has(itemId)) return
      const id = nextId()
      begun.set(itemId, id)
      write({ type: 'item.started', item: { id, ...body } })
    },
    finish(itemId, body) {
      const id = begun.get(itemId)
      known.delete(itemId)
      begun.delete(itemId)
      if (body !== null) write({ type: 'item.completed', item: { id: id ?? nextId(), ...body } })
    },
    plan({ steps }) {
      const items = steps.map(({ step, status }) => ({ text: step, completed: status === 'completed' }))
      const body: ItemBody = { type: 'todo_list', items }
      const type = plan === null ? 'item.started' : 'item.updated'
      plan = { id: plan?.id ?? nextId(), body }
      write({ type, item: { id: plan.id, ...body } })
    },
    closePlan() {
      if (plan !== null) write({ type: 'item.completed', item: { id: plan.id, ...plan.body } })
    },
  }
}
