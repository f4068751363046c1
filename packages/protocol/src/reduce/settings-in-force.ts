import { isStricterSandbox } from '../modes/setting-names.ts'
import type { Settings } from '../schema/settings.ts'
import type { ConversationState } from '../schema/state.ts'

/** Returns the settings that judge calls now: a review changes nothing and never asks. */
export function settingsInForce({ settings, turn }: Pick<ConversationState['core'], 'settings' | 'turn'>): Settings {
  if (turn?.purpose !== 'review') return settings
  const sandbox = isStricterSandbox('read-only', settings.sandbox) ? 'read-only' : settings.sandbox
  // Full access has nothing to enforce.
  const enforcement =
    settings.sandbox === 'danger-full-access' ? (turn.enforcement ?? settings.enforcement) : settings.enforcement
  return { ...settings, sandbox, enforcement, approvalPolicy: 'never' }
}
