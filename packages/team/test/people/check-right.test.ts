import { createRightCheck, type Reached } from '@parley/engine/src/people/check-right.ts'
import { isConversationId } from '@parley/journal'
import type { Access } from '@parley/protocol'
import { expect, it } from 'vitest'
import { rightsOfUser } from '../../src/people/rights.ts'

const access: Access = {
  members: [
    { user: 'ada', role: 'owner' },
    { user: 'bo', role: 'editor' },
  ],
  links: [],
}

it('a conversation that opens while its access is looked up is judged as it is then', async () => {
  const conversationId = '01890f3e-7b00-7000-8000-000000000001'
  expect(isConversationId(conversationId)).toBe(true)
  const bo = { name: 'bo', role: 'member', tokenHash: 'hash', maxSandbox: 'read-only' } as const
  const rights = rightsOfUser(bo, { find: () => bo, refresh: () => undefined })
  let open: Reached | null = null
  const check = createRightCheck({
    openAccess: () => open,
    async storedAccess() {
      open = { access, sandbox: 'workspace-write' }
      return { access }
    },
  })
  await expect(check(rights, 'conversation/sendMessage', { conversationId })).rejects.toMatchObject({
    data: { code: 'aboveCeiling' },
  })
})
