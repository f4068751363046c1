import { paramsFor } from '@parley/engine/test/support/method-params.ts'
import type { TestClient } from '@parley/engine/test/support/test-client.ts'
import {
  type ConversationRight,
  type MethodName,
  type MethodRight,
  machineMethods,
  methodRules,
  type Role,
  roleHas,
} from '@parley/protocol'
import { methods } from '@parley/protocol/schema'
import { RpcError } from '@parley/rpc'
import { runsOf } from '@parley/testkit/long-runs'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { startTeam } from '../support/team.ts'

const names = Object.keys(methods) as MethodName[]
const ofConversation: ReadonlySet<MethodRight> = new Set(['read', 'answer', 'edit', 'own', 'copy'])
const unknown = '01990000-0000-7000-8000-000000000000'

/** Methods that find conversations rather than name one: what they find is tested by itself. */
const finding: ReadonlySet<MethodName> = new Set(['conversation/resume', 'bundle/describe', 'conversation/export'])

async function errorOf(client: TestClient, method: MethodName, params: object) {
  const error: unknown = await client.peer.request(method, params).catch((cause: unknown) => cause)
  return error instanceof RpcError
    ? { code: error.code, message: error.message, data: error.data }
    : { answered: error }
}

it('every method that needs a right in a conversation names the conversation', () => {
  const nameless = names.filter(
    (name) => ofConversation.has(methodRules[name].right) && !('conversationId' in methods[name].params.shape),
  )
  expect(nameless).toEqual([])
})

it.each(names.filter((name) => name !== 'initialize' && !finding.has(name)))(
  '%s is tried with valid parameters',
  (name) => {
    expect(methods[name].params.safeParse(paramsFor(name, unknown, '/')).error?.issues).toBeUndefined()
  },
)

it('nothing is answered that the table denies, and what is forbidden is answered as what is not there', async () => {
  await using team = await startTeam(['ada', 'admin:root', 'bo'])
  const ada = await team.as('ada')
  const { cwd } = team.place
  const { conversationId: started } = await ada.request('conversation/create', { cwd })
  const watched = await ada.watch(started)
  await watched.send('hello')
  await watched.turnEnded()
  const { conversationId: fresh } = await ada.request('conversation/create', { cwd })
  const { code } = await ada.request('conversation/link/make', { conversationId: started })
  const clients = { bo: await team.as('bo'), root: await team.as('root'), guest: await team.as(code) }
  const roles = ['reader', 'approver', 'editor', null] as const
  let given: Role | null = null
  const request = fc.record({
    method: fc.constantFrom(...names.filter((name) => name !== 'initialize' && !finding.has(name))),
    who: fc.constantFrom('bo', 'root', 'guest'),
    role: fc.constantFrom(...roles),
    where: fc.constantFrom(started, fresh),
  })
  const denied = fc.asyncProperty(request, async ({ method, who, role, where }) => {
    if (role !== given) await ada.request('conversation/share', { conversationId: started, user: 'bo', role })
    given = role
    const right = methodRules[method].right
    const held = where === fresh || who === 'root' ? null : who === 'guest' ? 'reader' : role
    fc.pre(isDenied(right, { who, held }))
    const error = await errorOf(clients[who], method, paramsFor(method, where, cwd))
    expect(error).not.toHaveProperty('answered')
    const isHidden = ofConversation.has(right) && held === null && !(right === 'copy' && who === 'guest')
    if (!isHidden) {
      expect(error).toMatchObject({ data: { code: 'notPermitted' } })
      return
    }
    const like = JSON.stringify(error).replaceAll(where, unknown)
    expect(like).toBe(JSON.stringify(await errorOf(clients[who], method, paramsFor(method, unknown, cwd))))
  })
  await fc.assert(denied, { numRuns: runsOf(400) })
})

/** Says what the table denies, apart from the program. */
function isDenied(right: MethodRight, { who, held }: { who: string; held: Role | null }): boolean {
  switch (right) {
    case 'anyone':
      return false
    case 'user':
      return who === 'guest'
    case 'admin':
      return who !== 'root'
    case 'operator':
      return true
    case 'copy':
      return who === 'guest' || held === null
    default:
      return held === null || !roleHas(held, right satisfies ConversationRight)
  }
}

it('what an editor may do reaches the machine of a conversation, or is known not to', () => {
  const ofEditors = names.filter((name) => methodRules[name].right === 'edit' || methodRules[name].right === 'answer')
  const known = new Set<MethodName>([
    // They stop or close something.
    'conversation/detach',
    'conversation/inbox/remove',
    'conversation/interrupt',
    'conversation/forward/stop',
    // What runs there already goes on as before.
    'conversation/background',
    'conversation/process/tellWhen',
    // They are about the conversation alone.
    'conversation/compact/undo',
    'conversation/rename',
    'conversation/archive',
    'conversation/unarchive',
  ])
  expect(new Set(ofEditors.filter((name) => !machineMethods.has(name)))).toEqual(known)
})
