import type { MethodName } from '@parley/protocol'
import { methods } from '@parley/protocol/schema'
import { RpcError } from '@parley/rpc'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../../engine/support/test-server.ts'

const names = Object.keys(methods) as MethodName[]
/** Methods whose every parameter may be left out. */
const undemanding = [
  'bundle/describe',
  'conversation/export',
  'conversation/list',
  'conversation/resume',
  'environment/list',
  'model/list',
  'login/status',
  'mcp/list',
  'policy/replay',
  'policy/why',
  'provider/check',
  'provider/list',
  'replay/run',
  'server/diagnostics',
  'usage/read',
  'user/list',
  'web/open',
]
/** Results of methods without parameters. */
const answers: Partial<Record<MethodName, object>> = {
  'environment/list': { environments: [], chosen: 'local' },
  'login/status': { logins: [] },
  'mcp/list': { servers: [] },
  'provider/list': { chosen: { provider: 'fake' } },
  'server/diagnostics': { pid: process.pid },
  'user/list': { file: null, users: [] },
}

const rubbish: Record<string, unknown> = {
  conversationId: 7,
  cwd: 7,
  input: [{ type: 'text', text: 7 }],
  protocolVersion: 'one',
  approvalId: [],
  messageId: {},
  limit: 'many',
  settings: 'x',
  name: 7,
  file: 7,
  command: 7,
  prefix: 7,
  since: 7,
  loginId: 7,
  provider: 7,
}

describe('invalid parameters', () => {
  it.each(names)('%s with rubbish gets one error that names the field, and the connection lives', async (method) => {
    await using place = testPlace()
    const client = await place.start().connect()
    const error = await client.peer.request(method, rubbish).catch((cause: unknown) => cause)
    const answer = answers[method]
    if (answer !== undefined) return expect(error).toMatchObject(answer)
    expect(error).toBeInstanceOf(RpcError)
    if (!(error instanceof RpcError)) return
    expect(error).toMatchObject({
      code: -32602,
      data: { code: 'invalidParams', field: expect.stringMatching(/^\w+(\[\d\])?(\.\w+)?$/) },
    })
    expect(error.message).toContain(`${method}: ${String(error.data?.['field'])}`)
    expect(await client.request('server/diagnostics', {})).toMatchObject({ pid: process.pid })
  })

  it.each(names.filter((name) => !undemanding.includes(name)))(
    'to %s without parameters is rejected',
    async (method) => {
      await using place = testPlace()
      const client = await place.start().connect()
      for (const params of [undefined, []]) {
        const error = await client.peer.request(method, params).catch((cause: unknown) => cause)
        expect(error).toMatchObject({ code: -32602 })
      }
    },
  )

  it('to an unknown method, also one of Object, gets methodNotFound', async () => {
    await using place = testPlace()
    const client = await place.start().connect()
    for (const method of ['no/such', 'constructor', '__proto__', 'toString'])
      expect(await client.peer.request(method, {}).catch((cause: unknown) => cause)).toMatchObject({
        code: -32601,
        data: { code: 'methodNotFound' },
      })
  })

  it('names the index in a list', async () => {
    await using place = testPlace()
    const { client, watched } = await place.talk()
    const params = { conversationId: watched.conversationId, input: [{ type: 'text', text: 'a' }, { type: 'video' }] }
    const error = await client.peer.request('conversation/sendMessage', params).catch((cause: unknown) => cause)
    expect(error).toMatchObject({ data: { field: expect.stringMatching(/^input\[1\]/) } })
  })
})
