import { ConfigError } from '@parley/config'
import { type SandboxMode, settingsInForce } from '@parley/protocol'
import type { TurnContext } from '../turn/turn-context.ts'
import { isSealed } from './approval-request.ts'
import type { CallPolicy } from './attempt.ts'
import { beforeCall } from './hooked-calls.ts'

/** Returns all that a call is judged by, as it is now. */
export function policyOf({ conversation, modules, signal }: TurnContext): CallPolicy {
  const { rules, memory, userRules, redaction, hooks, runningOn } = modules
  return {
    state: conversation.state,
    rules,
    sessionGrants: memory.grantsUnder(settingsInForce(conversation.state.core).sandbox),
    isOwnAnswer: (approval) => isSealed(approval, conversation.state.core.meta.conversationId, redaction),
    hasHooks: (item, said) => hooks.has(beforeCall(item, said)),
    policyFile: userRules.file,
    // Read for plans only, and from the file of the configuration.
    get ceiling() {
      return ceilingNow(modules)
    },
    secretsIn: redaction.secretsIn,
    runningOnMs: ({ id }) => runningOn.get(id) ?? null,
    stopped: signal.aborted,
  }
}

/** Returns the ceiling; the strictest while the configuration cannot be read. */
function ceilingNow({ ceiling }: TurnContext['modules']): SandboxMode {
  try {
    return ceiling().sandbox
  } catch (error) {
    if (error instanceof ConfigError) return 'read-only'
    throw error
  }
}
