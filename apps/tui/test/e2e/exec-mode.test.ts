import { existsSync } from 'node:fs'
import { hasFullSandbox, noFullSandbox, waitUntil } from '@parley/testkit'
import { expect, test } from 'vitest'
import { execWorld, shell } from './exec-world.ts'

test('exec --mode plan asks for a plan, changes nothing and prints it; a resume in another mode does the work', async (context) => {
  context.skip(!hasFullSandbox, noFullSandbox)
  await using world = await execWorld({
    steps: [shell('touch made'), { text: 'The plan: touch made.' }, shell('touch made'), { text: 'Done.' }],
  })
  const planned = await world.exec(['--mode', 'plan', 'make it'])
  expect(planned).toMatchObject({ exitCode: 0, stdout: 'The plan: touch made.\n' })
  expect(world.model.requests[0]?.text).toContain('Mode: plan, as long as')
  expect(existsSync(world.path('made'))).toBe(false)
  expect(await world.exec(['resume', '--last', '--mode', 'edit', 'go'])).toMatchObject({ exitCode: 0 })
  const asked = world.model.requests.at(-1)?.text ?? ''
  expect(asked.lastIndexOf('<environment>')).toBeGreaterThan(asked.lastIndexOf('Mode: plan'))
  expect(existsSync(world.path('made'))).toBe(true)
})

const plan = { title: 'Make it', steps: ['touch made', 'look at it'], risks: ['none'] }
const proposes = { calls: [{ name: 'propose_plan', arguments: plan }] }
const planText = '# Plan: Make it\n\n1. touch made\n2. look at it\n\nRisks:\n- none\n'

test('a plan that the model hands over is the answer of exec, whatever the model says after it', async () => {
  await using world = await execWorld({
    steps: [proposes, { text: 'There it is.' }, proposes, { text: 'There it is.' }],
  })
  expect(await world.exec(['--mode', 'plan', 'make it'])).toMatchObject({ exitCode: 0, stdout: planText })
  expect(world.model.requests[1]?.text).toContain('notChosen')
  const { stdout } = await world.exec(['--mode', 'plan', '--output-format', 'codex', 'make it'])
  const items = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).item]))
  expect(items.filter((item) => item?.type === 'agent_message').at(-1)).toMatchObject({ text: planText.trimEnd() })
})

test('a program takes a plan up by a line of stdin, and the work begins', async (context) => {
  context.skip(!hasFullSandbox, noFullSandbox)
  await using world = await execWorld({ steps: [proposes, shell('touch made'), { text: 'Done.' }] })
  await using run = world.start(['--mode', 'plan', '--json', '--input-format', 'jsonl', 'make it'])
  const asked = () =>
    run
      .stdout()
      .split('\n')
      .find((line) => line.includes('"approval.requested"'))
  const { id: approvalId, kind } = JSON.parse(await waitUntil(asked, { what: 'the plan' })).event.approval
  expect(kind).toBe('plan')
  run.write(`${JSON.stringify({ type: 'answer', approvalId, decision: 'approved', answers: { mode: 'edit' } })}\n`)
  await waitUntil(() => run.stdout().includes('"turn.ended"'), { what: 'the end of the turn' })
  run.closeStdin()
  expect(await run.result).toMatchObject({ exitCode: 0 })
  expect(existsSync(world.path('made'))).toBe(true)
})
