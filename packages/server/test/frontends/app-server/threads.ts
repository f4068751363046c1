import type { TestPlace } from '../../engine/support/test-server.ts'
import { type AppClient, appClient, type ShownTurn } from './app-client.ts'

/** Step of the model: a command. */
export const shell = (command: string, more: object = {}) => ({
  calls: [{ name: 'shell', args: { command, ...more } }],
})
export const text = (said: string) => [{ type: 'text', text: said, text_elements: [] }]

/** A thread of a client that has said hello. */
export async function opened(place: TestPlace, ports: Parameters<TestPlace['start']>[0], params: object = {}) {
  const client = appClient(place.start(ports))
  await client.initialize()
  const { thread } = await client.result('thread/start', { cwd: place.cwd, ...params })
  return { client, threadId: String(thread.id) }
}

/** Runs a turn to its end and returns its `turn/completed`. */
export async function turn(client: AppClient, threadId: string, said: string, more: object = {}): Promise<ShownTurn> {
  const { turn: begun } = await client.result('turn/start', { threadId, input: text(said), ...more })
  const { params } = await client.until(
    ({ method, params }) => method === 'turn/completed' && JSON.stringify(params).includes(begun.id),
  )
  return (params as Awaited<ReturnType<AppClient['result']>>).turn
}
