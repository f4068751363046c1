import type { ModelCall } from '@parley/models'
import {
  type CallItem,
  type ConversationState,
  type EventOf,
  type Item,
  type ItemId,
  isCall,
  type MessageCall,
  type TurnId,
} from '@parley/protocol'
import { nearestNames } from '@parley/workspace'
import { checkMessage } from '../core/turn-ends/turn-checks.ts'
import { workspaceOf } from '../limits/workspace-folders.ts'
import { userMessageItem } from '../messages/user-messages.ts'
import type { TurnContext } from '../roles/roles.ts'
import type { PreparedCall, Tool } from '../tools/contract/tool.ts'
import { fitCall } from '../tools/fit-arguments.ts'

/** Roles that read and record calls of the model. */
export type ProposalContext = Pick<TurnContext, 'record' | 'act'>

type ProposedCall = EventOf<'model.responded'>['calls'][number]

/** Records the item of a call, which `named` returns for its id, before anything of it has run. */
export function proposeCall(
  context: ProposalContext,
  turnId: TurnId,
  named: (itemId: ItemId) => ModelCall,
): ProposedCall {
  const {
    record: { conversation, ids, redaction },
  } = context
  const id = ids.item()
  const call = named(id)
  const item = proposedItem(context, conversation.state, { id, call })
  const hasSecret = redaction.hasSecret(call.arguments)
  if (hasSecret) keepExact(context, id, call)
  conversation.record({ type: 'item.started', turnId, item: hasSecret ? unrestorable(item) : item })
  return { itemId: id, ...call }
}

interface NewCall {
  readonly id: ItemId
  readonly call: ModelCall
}

/** Returns the item that shows a call before anything of it has run. */
function proposedItem(context: ProposalContext, state: ConversationState, { id, call }: NewCall): Item {
  const understood = understandCall(context, call)
  if ('problem' in understood) {
    return {
      id,
      type: 'toolCall',
      kind: 'other',
      status: 'proposed',
      tool: call.name,
      title: call.name,
      text: '',
      input: call.arguments,
      readOnly: true,
    }
  }
  const { tool, prepared } = understood
  const readOnly = tool.readOnly ? { readOnly: true as const } : {}
  return { id, status: 'proposed', tool: tool.name, ...readOnly, ...prepared.describe(workspaceOf(state)) }
}

/** Tool and checked arguments of a model's call, or a sentence for the model about the mistake in it. */
type ResolvedCall =
  | { readonly tool: Tool; readonly prepared: PreparedCall }
  /** `knownTools`: names of all tools, for a call of another one. */
  | { readonly problem: string; readonly knownTools?: readonly string[] }

/** Finds the tool and checks the arguments of a model's call, also of one that almost fits. */
export function understandCall(
  { record: { redaction }, act: { tools } }: ProposalContext,
  call: ModelCall,
): ResolvedCall {
  const fitted = tools.some(({ name }) => name === call.name) ? fitCall(call) : { name: call.name, args: {} }
  if ('problem' in fitted) {
    const beginning = redaction.excerpt(call.arguments.slice(0, quotedCharacters))
    return { problem: `${fitted.problem}\nThey began: ${beginning}` }
  }
  const tool = tools.find(({ name }) => name === fitted.name)
  if (tool === undefined)
    return unknownTool(
      call.name,
      tools.map(({ name }) => name),
    )
  const prepared = tool.prepare(fitted.args)
  return 'problem' in prepared
    ? { problem: `The arguments of ${tool.name} are not right:\n${prepared.problem}` }
    : { tool, prepared }
}

const quotedCharacters = 200

/** Names the tools with names like the unknown one, or all tools. */
function unknownTool(name: string, knownTools: readonly string[]): ResolvedCall {
  const near = nearestNames(name, knownTools)
  const all = `${knownTools.join(', ')}.`
  const named =
    near.length === 0 ? `The tools are: ${all}` : `Tools with a like name: ${near.join(', ')}. All of them: ${all}`
  return { problem: `There is no tool "${name}". ${named}`, knownTools }
}

/** Keeps a call with a secret in memory, to run it exactly; its log has marks in place of the secret. */
export function keepExact({ record: { conversation }, act }: ProposalContext, itemId: ItemId, call: ModelCall): void {
  act.memory.exactCalls.keep(itemId, call, (known) => conversation.state.core.open[known] !== undefined)
}

/** Marks an item as lost with this process: its exact call is nowhere on disk. */
export function unrestorable<Kind extends Item>(item: Kind): Kind {
  return isCall(item) ? { ...item, restorable: false } : item
}

/** Returns the text the model wrote (of a change its text, else its arguments); null for a call without a secret. */
export function exactText(context: ProposalContext, item: CallItem): string | null {
  const { act, record } = context
  const exact = act.memory.exactCalls.find(item.id)
  if (exact === undefined) return null
  const understood = understandCall(context, exact)
  if ('problem' in understood) return exact.arguments
  const described = understood.prepared.describe(workspaceOf(record.conversation.state))
  return described.type === 'fileChange' ? described.text : exact.arguments
}

/** Returns the call as the model made it, or as a hook changed it; null where its secret was lost with an earlier process. */
export function exactCall({ record: { conversation }, act }: ProposalContext, item: CallItem): ModelCall | null {
  const exact = act.memory.exactCalls.find(item.id)
  if (exact !== undefined || item.restorable === false) return exact ?? null
  const call = conversation.view.calls.of(item.id)
  const changed = conversation.state.core.open[item.id]?.hooks?.arguments
  return call === null || changed === undefined ? call : { ...call, name: item.tool, arguments: changed }
}

/** Adapter of a response that no model gave. */
const noAdapter = 'none'

/** Records the calls of a message as a response of the model, so that all that holds for its calls holds for them. */
export function makeCalls(context: ProposalContext, wanted: readonly MessageCall[]): void {
  const {
    record: { conversation },
  } = context
  const turnId = conversation.state.core.turn?.id
  if (turnId === undefined) return
  const calls = wanted.map(({ name, arguments: text }): EventOf<'model.responded'>['calls'][number] =>
    proposeCall(context, turnId, (itemId) => ({ callId: itemId, name, arguments: text })),
  )
  conversation.record({ type: 'model.responded', turnId, adapter: noAdapter, parts: [], text: '', calls })
}

/** Records a message with the checks of the turn as its calls. */
export function beginChecks({ record: { conversation, ids } }: ProposalContext): void {
  const { turn } = conversation.state.core
  if (turn?.checks === undefined) return
  const { text, calls } = checkMessage(turn.checks, (turn.checked?.times ?? 0) + 1)
  const item = userMessageItem(ids.item(), { content: [{ type: 'text', text }], calls, ofChecks: true })
  conversation.record({ type: 'item.completed', turnId: turn.id, item })
}
