import { RpcError } from '@parley/rpc'
import { expect } from 'vitest'
import type { TestClient, Watched } from './test-client.ts'

/** Two turns with a command; stops at the first refusal or at the notice that the conversation stops. */
export async function talkUntilTrouble(
  client: TestClient,
  cwd: string,
  refusals: readonly string[] = ['storageFailed'],
): Promise<Watched | null> {
  let watched: Watched | null = null
  const trouble = client.notice(({ message }) => message.includes('stops here'))
  try {
    const { conversationId } = await client.request('conversation/create', { cwd, sandbox: 'danger-full-access' })
    watched = await client.watch(conversationId)
    for (const text of ['one', 'two']) {
      await watched.send(text)
      if ((await Promise.race([watched.turnEnded(), trouble])) !== undefined) return watched
    }
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    expect(refusals).toContain(error.data?.['code'])
  }
  return watched
}
