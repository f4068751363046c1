import type { ConversationState, EventOf, HookRef } from '@parley/protocol'
import type { PlacedHook } from './placed-hooks.ts'

/** Returns how a process begins: with a new session until hooks of its start have run, or the model has answered. */
export function sourceOf({ core }: ConversationState): 'startup' | 'resume' {
  return core.begun === true || core.usage.calls !== undefined ? 'resume' : 'startup'
}

/** Returns the event that these hooks of a moment run from now on; none where the state says so already. */
export function startedEvents(
  { on, itemId, turnId }: Omit<EventOf<'hooks.started'>, 'type' | 'hooks'>,
  hooks: readonly PlacedHook[],
  { core }: ConversationState,
): readonly EventOf<'hooks.started'>[] {
  const named = hooks.map(({ name, source, required }) => ({
    ...{ name, on, source },
    ...(required ? { required: true as const } : {}),
  }))
  const known = (core.hooks ?? []).find((one) => one.on === on && one.itemId === itemId)
  const isKnown = known?.hooks.length === named.length && named.every((hook, at) => isSame(hook, known.hooks[at]))
  if (named.length === 0 || (isKnown && itemId !== undefined)) return []
  const about = { ...(turnId === undefined ? {} : { turnId }), ...(itemId === undefined ? {} : { itemId }) }
  return [{ type: 'hooks.started', on, ...about, hooks: named }]
}

/** Tells if two names are of one hook. */
export function isSame(
  one: Pick<HookRef, 'name' | 'source'>,
  other: Pick<HookRef, 'name' | 'source'> | undefined,
): boolean {
  return one.name === other?.name && one.source === other.source
}

/** Returns the hooks but those that have run; of several with one name as many as have not. */
export function withoutThose(ran: readonly HookRef[], hooks: readonly PlacedHook[]): readonly PlacedHook[] {
  const done = [...ran]
  return hooks.filter(({ name, source }) => {
    const at = done.findIndex((one) => one.name === name && one.source === source)
    if (at >= 0) done.splice(at, 1)
    return at < 0
  })
}
