import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { answerIn, approvalRequestOf } from '@parley/frontends/src/app-server/shapes/approvals.ts'
import { modes } from '@parley/protocol'
import { planForm } from '@parley/protocol/question'
import { describe, expect, it } from 'vitest'
import { type TestPlace, testPlace } from '../engine/support/test-server.ts'
import { choose, openEditor } from './acp/editor.ts'
import { takeHand } from './mcp/support/hand.ts'

const plan = { title: 'Bound the cache', steps: ['Use an LRU map'], risks: ['Slower'] }
const planning = () => scriptedModel({ calls: [{ name: 'propose_plan', args: plan }] }, { text: 'so be it' })

/** Makes plan mode the mode of new conversations. */
function planAlways({ root }: TestPlace): void {
  const file = join(root, '.parley', 'config.toml')
  writeFileSync(file, `sandbox_mode = "read-only"\n${readFileSync(file, 'utf8')}`)
}

describe('a plan in an editor', () => {
  it.each([
    ['edit', 'accepted', 'edit'],
    ['ask', 'accepted', 'ask'],
    ['denied', 'keepPlanning', 'plan'],
  ])('is a permission with the modes as options: %s', async (optionId, outcome, mode) => {
    await using place = testPlace()
    planAlways(place)
    const model = planning()
    const ceiling = { maxSandbox: 'workspace-write', allowNever: false, profile: null } as const
    await using editor = await openEditor(place.start({ model, ceiling }), { answer: () => choose(optionId) })
    const { sessionId, modes: announced } = await editor.open(place.cwd)
    expect(announced?.currentModeId).toBe('plan')
    await editor.say(sessionId, 'go')
    const [question] = editor.questions
    expect(question?.options.map((option) => [option.optionId, option.kind, option.name])).toEqual([
      ['ask', 'allow_once', 'Work, asked before every change'],
      ['edit', 'allow_once', 'Work, and change files in the folder unasked'],
      ['denied', 'reject_once', 'Keep planning'],
      ['abort', 'reject_once', 'Stop'],
    ])
    expect(JSON.stringify(question?.toolCall.content)).toContain('1. Use an LRU map')
    expect(JSON.stringify(model.requests[1]?.entries)).toContain(outcome)
    expect(model.requests[1]?.tools.some(({ name }) => name === 'propose_plan')).toBe(mode === 'plan')
  })
})

describe('a plan over MCP', () => {
  it('can be sent back with a note and not be taken up, since callers only tighten', async () => {
    await using place = testPlace()
    const model = planning()
    await using hand = await takeHand(place.start({ model }))
    const { answer } = hand.call('parley', { prompt: 'plan', cwd: place.cwd, sandbox: 'read-only' })
    const { id, params } = await hand.asked()
    expect(params.requestedSchema).toEqual({
      type: 'object',
      properties: { note: { type: 'string', title: 'Note to the model' } },
    })
    expect(params.message).toMatch(/1\. Use an LRU map[\s\S]*The work is begun in a terminal: parley attach /)
    hand.send({ jsonrpc: '2.0', id, result: { action: 'accept', content: { note: 'smaller', mode: 'edit' } } })
    await answer
    const told = JSON.stringify(model.requests[1]?.entries.at(-1))
    expect(told).toContain('keepPlanning')
    expect(told).toContain('smaller')
  })
})

describe('a plan for clients of the app-server', () => {
  const work = modes.filter(({ name }) => name !== 'plan')
  const approval = {
    ...{ id: 'a1', itemId: 'i1', turnId: 't1', kind: 'plan' as const, title: 'Plan: x', detail: '1. y', cwd: '/w' },
    ...{ sandbox: 'read-only' as const, reason: 'r', rule: { name: 'builtin:proposal' }, answerableBy: [] },
    decisions: ['approved' as const, 'denied' as const, 'abort' as const],
    form: planForm(work),
  }
  const asker = { threadId: 't', enforcement: 'full', startedAtMs: 0, modes: work } as const

  it('is a form with every answer', () => {
    expect(approvalRequestOf(approval, asker)).toMatchObject({
      method: 'mcpServer/elicitation/request',
      params: {
        serverName: 'parley',
        message: expect.stringContaining('1. y'),
        requestedSchema: { properties: { mode: { enum: ['ask', 'edit', 'plan'] }, note: { type: 'string' } } },
      },
    })
  })

  it.each([
    [{ mode: 'edit' }, { decision: 'approved', answers: { mode: 'edit' } }],
    [
      { mode: 'ask', note: 'mind the tests' },
      { decision: 'approved', answers: { mode: 'ask' }, note: 'mind the tests' },
    ],
    [
      { mode: 'plan', note: 'smaller' },
      { decision: 'denied', note: 'smaller' },
    ],
    [{ mode: 'custom' }, { decision: 'denied' }],
    [{}, { decision: 'denied' }],
  ])('reads %j', (content, answer) => {
    expect(answerIn({ action: 'accept', content }, approval, work)).toEqual(answer)
    expect(answerIn({ action: 'accept', content }, approval, [])).toMatchObject({ decision: 'denied' })
  })
})
