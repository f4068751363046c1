import type { TestClient, Watched } from './test-client.ts'

/** Says yes to everything and lets a parked turn go on. Resolves when no turn is open. */
export async function settleTurn(client: TestClient, { conversationId, until }: Watched): Promise<void> {
  const answered = new Set<string>()
  let continued = false
  await until(({ core }) => {
    for (const { id: approvalId, state } of Object.values(core.approvals)) {
      if (state !== 'pending' || answered.has(approvalId)) continue
      answered.add(approvalId)
      void client.request('approval/decide', { conversationId, approvalId, decision: 'approved' })
    }
    if (
      core.turn?.parked === true &&
      !continued &&
      Object.values(core.approvals).every(({ state }) => state === 'approved')
    ) {
      continued = true
      void client.request('conversation/continue', { conversationId })
    }
    return core.turn === null
  })
}
