import type { ConversationEvent } from '@parley/protocol'
import { type Choice, chosen, type Move, newId } from './engine.ts'
import { shellCommand } from './items.ts'

const setting: Move = (engine, choice) => ({ engine, events: [settingEvent(choice)] })

/** Events that a conversation may have at any time. */
function settingEvent({ count, text, flag }: Choice): ConversationEvent {
  const file = `sha256:${count}`
  const events: readonly ConversationEvent[] = [
    { type: 'conversation.renamed', name: text },
    { type: 'conversation.archived', archived: flag },
    { type: 'conversation.moved', cwd: `/${text}` },
    {
      type: 'conversation.configured',
      settings: flag ? { effort: 'high' } : { sandbox: 'read-only', enforcement: 'partial' },
    },
    {
      type: 'context.set',
      instructions: file,
      tools: file,
      sessionContext: file,
      adapter: 'chat/1',
      instructionFiles: [text],
    },
    { type: 'plan.updated', plan: { steps: [{ step: text, status: flag ? 'inProgress' : 'completed' }] } },
  ]
  return events[count % events.length] ?? { type: 'conversation.renamed', name: text }
}

const note: Move = (engine, { text, flag }) => {
  const { id, engine: next } = newId(engine, 'i')
  const turn = engine.turn === null ? {} : { turnId: engine.turn.id }
  const level = flag ? ('info' as const) : ('error' as const)
  const item = { id, type: 'notice' as const, status: 'completed' as const, title: text, text: '', level, code: 'note' }
  return { engine: next, events: [{ type: 'item.completed', ...turn, item }] }
}

const runShell: Move = (engine, { text }) => {
  const { id, engine: next } = newId(engine, 'i')
  const item = shellCommand(id, text)
  return { engine: { ...next, shells: [...engine.shells, item] }, events: [{ type: 'item.started', item }] }
}

const printShell: Move = (engine, choice) => {
  const item = chosen(engine.shells, choice)
  return item === undefined ? null : { engine, events: [{ type: 'item.delta', itemId: item.id, text: choice.text }] }
}

const endShell: Move = (engine, choice) => {
  const item = chosen(engine.shells, choice)
  if (item === undefined) return null
  const shells = engine.shells.filter(({ id }) => id !== item.id)
  return { engine: { ...engine, shells }, events: [{ type: 'item.completed', item: { ...item, status: 'completed' } }] }
}

export const asideMoves: readonly Move[] = [setting, note, runShell, printShell, endShell, endShell]
