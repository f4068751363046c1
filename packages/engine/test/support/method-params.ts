import type { MethodName } from '@parley/protocol'

/** Fields whose meaning differs between methods. */
const own: Partial<Record<MethodName, object>> = {
  'conversation/share': { role: 'owner' },
  'conversation/read': { after: 0 },
  'server/checkup': { provider: false },
  'hook/try': { input: {} },
}

/** Parameters that a method decodes, for a conversation. */
export const paramsFor = (method: MethodName, conversationId: string, cwd: string) => ({
  ...{ conversationId, cwd, name: 'n', text: 't', where: 'project', hash: 'h', file: 'sha256:0', query: 'q', to: 0 },
  ...{ messageId: 'm', itemId: 'i', approvalId: 'a', decision: 'denied', command: 'true', settings: {}, linkId: 'l' },
  ...{ input: [{ type: 'text', text: 'x' }], content: [{ type: 'text', text: 'x' }], after: { seq: 0, crc: null } },
  ...{ user: 'ada', role: 'member', provider: 'fake', loginId: 'l', conversation: conversationId, on: 'SessionStart' },
  ...{
    key: 'tui.theme',
    value: 'dark',
    verdict: 'declined',
    event: 'turn.ended',
    match: 'x',
    pattern: 'x',
    port: 8080,
  },
  ...own[method],
})
