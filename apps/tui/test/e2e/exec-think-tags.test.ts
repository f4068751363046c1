import { expect, test } from 'vitest'
import { execWorld } from './exec-world.ts'

const chat = ['-c', 'model_providers.local.wire_api="chat"']

test('reasoning whose opening tag stood in the prompt is no part of the answer, nor of the next request', async () => {
  await using world = await execWorld({
    steps: [{ text: 'Hm. Secretly.\n</think>\n\nHi', chunks: 6 }, { text: 'Bye' }],
  })
  const { exitCode, stdout } = await world.exec([...chat, 'hello'])
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'Hi\n' })
  const resumed = await world.exec([...chat, 'resume', '--last', 'and now?'])
  expect(resumed.stdout).toBe('Bye\n')
  expect(world.model.requests[1]?.text).toContain('Hi')
  expect(world.model.requests[1]?.text).not.toContain('Secretly')
})

test('clients get the reasoning as such when it closes', async () => {
  await using world = await execWorld({ steps: [{ text: 'Hm.\n</think>\nHi', chunks: 6 }] })
  const { events } = await world.execJson([...chat, 'hello'])
  const closed = events.map((event) => JSON.stringify(event)).filter((line) => line.includes('"item.completed"'))
  const saying = (type: string) => closed.filter((line) => line.includes(`"type":"${type}"`) && line.includes('Hm.'))
  expect(saying('reasoning')).toHaveLength(1)
  expect(saying('agentMessage')).toEqual([])
})
