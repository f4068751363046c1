import { ConfigError } from '@parley/config'
import { type SandboxMode, settingsInForce } from '@parley/protocol'
import type { CallContext, PeopleRole } from '../roles/roles.ts'
import { isSealed } from './approval-request.ts'
import type { CallPolicy } from './attempt.ts'
import { beforeCall } from './hooked-calls.ts'

/** Returns all that a call is judged by, as it is now. */
export function policyOf({ record, act, people, signal }: CallContext): CallPolicy {
  const { conversation, redaction } = record
  const { hooks, memory } = act
  return {
    state: conversation.state,
    rules: people.rules,
    sessionGrants: memory.grants.under(settingsInForce(conversation.state.core).sandbox),
    isOwnAnswer: (approval) => isSealed(approval, conversation.state.core.meta.conversationId, redaction),
    hasHooks: (item, said) => hooks.has(beforeCall(item, said)),
    policyFile: people.userRules.file,
    // Read for plans only, and from the file of the configuration.
    get ceiling() {
      return ceilingNow(people)
    },
    secretsIn: redaction.secretsIn,
    runningOnMs: ({ id }) => memory.runningOn.get(id) ?? null,
    stopped: signal.aborted,
  }
}

/** Returns the ceiling; the strictest while the configuration cannot be read. */
function ceilingNow({ ceiling }: PeopleRole): SandboxMode {
  try {
    return ceiling().sandbox
  } catch (error) {
    if (error instanceof ConfigError) return 'read-only'
    throw error
  }
}
