import { type Conversation, codeOf, type Parley } from '@parley/client'

/** Opens a conversation; for a user who may only read it, and which nobody has open, as it is saved. */
export async function resumeOrView(
  parley: Parley,
  which: string,
  options: Parameters<Parley['resume']>[1] = {},
): Promise<Conversation> {
  try {
    return await parley.resume(which, options)
  } catch (error) {
    // Settings are not for who reads: that is said.
    if (codeOf(error) !== 'notPermitted' || options.overrides !== undefined) throw error
    return await parley.resume(which, { readOnly: true })
  }
}
