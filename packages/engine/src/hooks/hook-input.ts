import type { ModelCall } from '@parley/models'
import { type CallItem, type ConversationState, modelInUse, modeOf } from '@parley/protocol'
import { typedCommand } from '@parley/protocol/calls'
import type { HookInput } from '@parley/protocol/hooks'
import { fitCall } from '../tools/fit-arguments.ts'

/** Returns the fields that every hook gets. */
export function commonInput({ core }: ConversationState) {
  const { meta, settings, turn } = core
  return {
    session_id: meta.conversationId,
    cwd: meta.cwd,
    model: modelInUse(core).model,
    permission_mode: modeOf(settings),
    ...(turn === null ? {} : { turn_id: turn.id }),
  } satisfies Partial<HookInput>
}

/** Returns the fields of hooks about a call. Its arguments have the names that the tool gives them. */
export function callInput(item: CallItem, call: ModelCall) {
  const fitted = fitCall(call)
  const { locations = [] } = item
  return {
    tool_name: item.tool,
    tool_use_id: item.id,
    tool_input: 'problem' in fitted ? {} : fitted.args,
    title: item.title,
    ...(item.type === 'commandExecution' ? { command: typedCommand(item.command) } : {}),
    ...(locations.length === 0 ? {} : { paths: locations.map(({ path }) => path) }),
  }
}
