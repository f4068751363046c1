/** Does a step whose failure changes nothing for the caller; tells whether it worked. */
export async function succeeds(step: () => Promise<unknown>): Promise<boolean> {
  try {
    await step()
    return true
  } catch {
    return false
  }
}
