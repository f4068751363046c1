import { type Conversation, codeOf, type Parley } from '@parley/client'

/** Opens a conversation. A user with the right to read it only gets it as it is saved, if no server has it open. */
export async function resumeOrView(
  parley: Parley,
  which: string,
  options: Parameters<Parley['resume']>[1] = {},
): Promise<Conversation> {
  try {
    return await parley.resume(which, options)
  } catch (error) {
    // A reader cannot change settings, and gets the error.
    if (codeOf(error) !== 'notPermitted' || options.overrides !== undefined) throw error
    return await parley.resume(which, { readOnly: true })
  }
}
