import type { EventOf } from '../schema/event.ts'
import type { Core } from '../schema/state.ts'

export type MetaEvent = EventOf<
  | 'conversation.created'
  | 'conversation.configured'
  | 'conversation.moved'
  | 'conversation.renamed'
  | 'conversation.archived'
  | 'conversation.recovered'
  | 'context.set'
  | 'plan.updated'
>

export function reduceMeta(core: Core, event: MetaEvent, at: number): Core {
  const meta = { ...core.meta, updatedAt: at }
  switch (event.type) {
    case 'conversation.created':
      return {
        ...core,
        settings: event.settings,
        meta: { ...meta, cwd: event.cwd, createdAt: at, title: event.title ?? '' },
      }
    case 'conversation.configured':
      return { ...core, meta, settings: { ...core.settings, ...definedOnly(event.settings) } }
    case 'conversation.moved':
      return { ...core, meta: { ...meta, cwd: event.cwd } }
    case 'conversation.renamed':
      return { ...core, meta: { ...meta, name: event.name } }
    case 'conversation.archived':
      return { ...core, meta: { ...meta, archived: event.archived } }
    case 'conversation.recovered':
      return { ...core, inboxPaused: core.inbox.length > 0 }
    case 'context.set': {
      const { type: _type, ...context } = event
      return { ...core, context }
    }
    case 'plan.updated':
      return { ...core, plan: event.plan }
  }
}

function definedOnly(patch: EventOf<'conversation.configured'>['settings']): Partial<Core['settings']> {
  const { model, modelProvider, effort, approvalPolicy, sandbox, enforcement, writableRoots, network, unixSockets } =
    patch
  return {
    ...(model === undefined ? {} : { model }),
    ...(modelProvider === undefined ? {} : { modelProvider }),
    ...(effort === undefined ? {} : { effort }),
    ...(approvalPolicy === undefined ? {} : { approvalPolicy }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(enforcement === undefined ? {} : { enforcement }),
    ...(writableRoots === undefined ? {} : { writableRoots }),
    ...(network === undefined ? {} : { network }),
    ...(unixSockets === undefined ? {} : { unixSockets }),
  }
}
