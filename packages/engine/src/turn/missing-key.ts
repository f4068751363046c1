import type { Failure } from '@parley/protocol'
import { noticeItem } from '../conversation/notices.ts'
import type { TurnContext } from '../roles/roles.ts'

/** Failures of a request that was not sent for want of a key, or of the provider's settings. */
const codes: ReadonlySet<string> = new Set(['noCredentials', 'invalidRequest'])

/**
 * Parks the turn of a conversation that servers share where the key of its model is missing here. Returns null then, else
 * the failure, which ends the turn.
 */
export function waitForKey(
  { record: { conversation, ids }, model, people }: Pick<TurnContext, 'record' | 'model' | 'people'>,
  failure: Failure,
): Failure | null {
  const { sharedBy } = people
  const turnId = conversation.state.core.turn?.id
  const { choice, lacksKey } = model.current()
  if (sharedBy === null || turnId === undefined || !codes.has(failure.code) || lacksKey?.() !== true) return failure
  const { modelProvider: missingKey } = choice
  const server = sharedBy()
  const title = `${server ?? 'This server'} has no key for ${missingKey}: the turn waits, and nothing is lost. It goes on by itself at a server of the team with that key, here after \`parley login ${missingKey}\` on its machine, or with another model (/model).`
  const item = noticeItem(ids.item(), { level: 'warning', code: 'missingKey', title })
  conversation.recordAll([
    { type: 'item.completed', turnId, item },
    { type: 'turn.parked', turnId, reason: `No key for ${missingKey} at ${server ?? 'this server'}.`, missingKey },
  ])
  return null
}
