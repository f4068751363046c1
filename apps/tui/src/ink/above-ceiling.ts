import type { ConversationId, ConversationState, SettingsPatch } from '@parley/protocol'

/** How whoever sits at this terminal gets what the server refused for being above its ceiling: the line to type. */
export function howToRaise(
  conversationId: ConversationId,
  settings: SettingsPatch,
  { core }: Pick<ConversationState, 'core'>,
): string {
  const sandbox = settings.sandbox ?? core.settings.sandbox
  const approvalPolicy = settings.approvalPolicy ?? core.settings.approvalPolicy
  const isUnasked = sandbox === 'danger-full-access' && approvalPolicy === 'never'
  const flags = `-s ${sandbox}${isUnasked ? ' -a never' : ''}`
  const what = isUnasked ? `${sandbox} with nobody asked` : sandbox
  const asked = `This session was not started for ${what}.`
  if (core.seq === 0) return `${asked} Leave, then: parley ${flags}`
  return `${asked} Leave, then: parley resume ${conversationId.slice(-8)} ${flags}`
}
