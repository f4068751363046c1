import { expect, it } from 'vitest'
import { referenceServer, startTalk, stdioServer } from './talk.ts'

it('tools of server-everything are offered and called after a yes', { timeout: 30_000 }, async () => {
  await using talk = await startTalk({
    config: stdioServer('everything', [referenceServer('everything'), 'stdio']),
    steps: [{ calls: [{ name: 'mcp__everything__get-sum', arguments: { a: 2, b: 3 } }] }, { text: 'Five.' }],
  })
  await talk.send('What is 2 + 3?')
  const approval = await talk.approval('mcpTool')
  console.log(approval, await talk.request('mcp/list', {}))
  await talk.decide(approval, 'approved')
  await talk.turnEnded()
  console.log(talk.told(), talk.offered(), talk.run.stdout())
  expect(talk.told()).toEqual(['The sum of 2 and 3 is 5.'])
})
