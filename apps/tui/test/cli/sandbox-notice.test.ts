import type { Parley } from '@parley/client'
import { describe, expect, test } from 'vitest'
import { sandboxNotice } from '../../src/cli/messages.ts'
import { after, turnStarted } from '../view/scenes/conversation.ts'

const { settings } = after(turnStarted).core
const limited = { ...settings, sandbox: 'workspace-write', approvalPolicy: 'on-request' } as const
const open = { conversationId: 'c', enforcementReason: 'There: bubblewrap is missing.' }

function told(change: Partial<typeof settings>, isView = false): Promise<string | null> {
  const request = () => Promise.resolve({ conversations: [open], enforcementReason: 'Here.' })
  const client = { request } as unknown as Parley // narrowed: all that is used of it
  return sandboxNotice(client, { conversationId: 'c', settings: { ...limited, ...change }, readOnly: isView })
}

describe('where the sandbox does not hold all of its limits', () => {
  test.each([
    ['partial', 'The sandbox is only partial here: what is not known to be harmless asks first.'],
    ['none', 'There is no sandbox here: what is not known to be harmless asks first.'],
  ] as const)('it is said why, and what to do (enforcement %s)', async (enforcement, said) => {
    expect(await told({ enforcement })).toBe(`${said} There: bubblewrap is missing.`)
  })

  test('with nobody asked it is denied', async () => {
    expect(await told({ enforcement: 'none', approvalPolicy: 'never' })).toContain('harmless is denied.')
  })

  test('nothing is said where they hold, where there are none by choice, and where nothing runs', async () => {
    expect(await told({ enforcement: 'full' })).toBeNull()
    expect(await told({ enforcement: 'none', sandbox: 'danger-full-access' })).toBeNull()
    expect(await told({ enforcement: 'none' }, true)).toBeNull()
  })
})
