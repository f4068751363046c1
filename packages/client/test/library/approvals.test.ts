import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Approval, ApprovalAnswer, ApprovalHandler, ApprovalOptions, Conversation } from '../../src/index.ts'
import { libraryWorld } from './library-world.ts'

const touch = { calls: [{ name: 'shell', arguments: { command: 'touch in/made' } }] }

/** A turn that asks for one command, whose approvals the handler answers. */
async function askedTurn(handler: ApprovalHandler, options?: ApprovalOptions) {
  const world = await libraryWorld(touch, { text: 'Done.' })
  const parley = await world.connect()
  const conversation = await parley.create({ cwd: world.cwd })
  conversation.onApproval(handler, options)
  const turn = await conversation.send('make it')
  return {
    conversation,
    result: await turn.result,
    made: existsSync(join(world.cwd, 'in', 'made')),
    async [Symbol.asyncDispose]() {
      await parley.close()
      await world[Symbol.asyncDispose]()
    },
  }
}

/** Returns the result of the command that the model got. */
function decisionIn({ state }: Conversation) {
  const item = state.window.map((entry) => entry.item).find(({ type }) => type === 'commandExecution')
  return item?.type === 'commandExecution' ? item.decision : undefined
}

describe('an approval', () => {
  test('that the handler grants lets the command run, and is asked for once', async () => {
    const asked: Approval[] = []
    await using end = await askedTurn((approval) => {
      asked.push(approval)
      return 'approved'
    })
    expect(end.made).toBe(true)
    expect(end.result).toMatchObject({ outcome: 'completed', text: 'Done.', denials: [] })
    expect(asked).toMatchObject([{ kind: 'command', title: 'touch in/made', cwd: end.conversation.summary.cwd }])
  })

  test('that it denies is not run, and the model is told the note', async () => {
    await using end = await askedTurn(() => ({ decision: 'denied', note: 'Use the other folder.' }))
    expect(end.made).toBe(false)
    expect(end.result.denials).toHaveLength(1)
    expect(decisionIn(end.conversation)).toMatchObject({ answer: 'denied', note: 'Use the other folder.' })
  })

  test.each<[string, ApprovalHandler]>([
    ['throws', () => Promise.reject(new Error('broken bot'))],
    ['answers with something else', () => 'yes' as ApprovalAnswer],
  ])('is denied when the handler %s, and the error is told', async (_how, handler) => {
    const errors: unknown[] = []
    await using end = await askedTurn(handler, { onError: (error) => void errors.push(error) })
    expect(end.made).toBe(false)
    expect(decisionIn(end.conversation)).toMatchObject({ answer: 'denied' })
    expect(errors).toHaveLength(1)
  })

  test('is denied when the handler takes too long, which it can notice', async () => {
    const noticed = Promise.withResolvers<void>()
    await using end = await askedTurn(
      (_approval, { signal }) => new Promise(() => signal.addEventListener('abort', () => noticed.resolve())),
      { timeoutMs: 50 },
    )
    await noticed.promise
    expect(decisionIn(end.conversation)).toMatchObject({ answer: 'denied', note: 'Nobody answered in time.' })
  })

  test('that nobody will answer is an error that says how to answer', async () => {
    await using world = await libraryWorld(touch, { text: 'Done.' })
    await using parley = await world.connect()
    const conversation = await parley.create({ cwd: world.cwd })
    const turn = await conversation.send('make it')
    await expect(turn.result).rejects.toMatchObject({
      data: { code: 'approvalNeeded' },
      message: expect.stringMatching(/touch in\/made .*onApproval/),
    })
    // It still waits: whoever comes later is asked.
    conversation.onApproval(() => 'approved')
    expect(await conversation.turn?.result).toMatchObject({ text: 'Done.' })
  })

  test('can be answered by hand while the turn is iterated', async () => {
    await using world = await libraryWorld(touch, { text: 'Done.' })
    await using parley = await world.connect()
    const conversation = await parley.create({ cwd: world.cwd })
    const turn = await conversation.send('make it')
    for await (const event of turn) {
      if (event.type === 'approval.requested') await conversation.decide(event.approval.id, 'approved')
    }
    expect(await turn.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(existsSync(join(world.cwd, 'in', 'made'))).toBe(true)
  })

  test('that waits since an earlier run is missed, and asked for, when its conversation is resumed', async () => {
    await using world = await libraryWorld(touch, { text: 'Done.' })
    const first = await world.connect()
    const asked = await first.create({ cwd: world.cwd })
    await expect((await asked.send('make it')).result).rejects.toMatchObject({ data: { code: 'approvalNeeded' } })
    await first.close()
    await using parley = await world.connect()
    const conversation = await parley.resume(asked.id)
    await expect(conversation.turn?.result).rejects.toMatchObject({ data: { code: 'approvalNeeded' } })
    const { turn } = conversation
    conversation.onApproval(() => 'approved')
    expect(await turn?.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  })
})
