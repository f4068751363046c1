import type { ApprovalId, ItemId, TurnId } from '@parley/protocol'
import { expect, it } from 'vitest'
import { runCall } from '../src/calls/run-call.ts'
import { interruptTurn } from '../src/commands/commands.ts'
import type { decideApproval } from '../src/commands/decide-approval.ts'
import { createModelView, type ModelView } from '../src/core/model-view.ts'
import type { ConversationHost } from '../src/open/conversation-host.ts'
import { type Ids, randomIds } from '../src/ports/clock-and-ids.ts'
import type { TurnContext } from '../src/roles/roles.ts'

const turn: TurnId = randomIds.turn()
const item: ItemId = randomIds.item()
const approval: ApprovalId = randomIds.approval()

it('the engine refuses an id of another kind', () => {
  const wrongCalls = [
    // @ts-expect-error a turn is no item
    (context: TurnContext) => runCall(context, turn),
    // @ts-expect-error an item is no turn
    (open: Parameters<typeof interruptTurn>[0]) => interruptTurn(open, item),
    // @ts-expect-error an approval is no conversation
    (host: ConversationHost) => host.get(approval),
    // @ts-expect-error a turn is no item
    (view: ModelView) => view.calls.of(turn),
    (ids: Ids): ItemId => {
      // @ts-expect-error a turn is no item
      return ids.turn()
    },
    (params: Parameters<typeof decideApproval>[1]): ItemId => {
      // @ts-expect-error an approval is no item
      return params.approvalId
    },
  ]
  expect(wrongCalls).toHaveLength(6)
  expect(createModelView().calls.of(item)).toBeNull()
})
