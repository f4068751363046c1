import { reduce } from '@parley/protocol'
import { methods } from '@parley/protocol/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { continued, eventStreams, fold } from './event-stream.ts'

describe('state changes only by events', () => {
  it('a turn begins and ends only by its events', () => {
    fc.assert(
      fc.property(eventStreams, ({ envelopes }) => {
        let state = fold([])
        for (const one of envelopes) {
          const next = reduce(state, one)
          if (next.core.turn?.id !== state.core.turn?.id) expect(one.event.type).toMatch(/^turn\.(started|ended)$/)
          state = next
        }
      }),
    )
  })

  it.each([
    'conversation/sendMessage',
    'conversation/inbox/edit',
    'conversation/inbox/remove',
    'conversation/rename',
    'conversation/archive',
    'conversation/unarchive',
    'conversation/configure',
    'conversation/runShell',
    'approval/decide',
  ] as const)('the result of %s names the event that made it so', (method) => {
    const missing = methods[method].result.safeParse({}).error?.issues ?? []
    expect(missing.map(({ path }) => path.join('.'))).toContain('seq')
  })
})

describe('a requested approval', () => {
  it('an approval can be answered by the very next event', () => {
    fc.assert(
      fc.property(eventStreams, ({ envelopes }) => {
        let state = fold([])
        for (const one of envelopes) {
          state = reduce(state, one)
          if (one.event.type !== 'approval.requested') continue
          const { id, kind, itemId } = one.event.approval
          const by = { clientId: 'c-9', name: 'eve' }
          const answer = { type: 'approval.decided', approvalId: id, decision: 'approved', by } as const
          const { approvals, open } = fold(continued(state, [answer]), state).core
          if (kind === 'elicitation') expect(open[itemId]?.item.status).toBe('inProgress')
          else expect(approvals[id]).toMatchObject({ state: 'approved', by })
        }
      }),
    )
  })
})
