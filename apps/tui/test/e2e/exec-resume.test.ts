import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { connect, spawnServer } from '@parley/client'
import type { ApprovalId } from '@parley/protocol'
import { cliPath, hasFullSandbox, noFullSandbox, waitUntil } from '@parley/testkit'
import { isLong } from '@parley/testkit/long-runs'
import { describe, expect, test } from 'vitest'
import { type ExecWorld, execWorld, jsonRun, saidToModel, shell } from './exec-world.ts'

const twice = [{ text: 'One.' }, { text: 'Two.' }]

/** The id of a conversation that was just begun. */
async function begin(world: ExecWorld, args: readonly string[] = []): Promise<string> {
  const { end } = await world.execJson([...args, 'first'])
  return end.conversationId
}

describe('parley exec resume', () => {
  test.each<[string, (id: string) => string[]]>([
    ['a whole id', (id) => [id]],
    ['the end of one', (id) => [id.slice(-8)]],
    ['the beginning of one', (id) => [id.slice(0, 13)]],
    ['--last', () => ['--last']],
  ])('goes on by %s', async (_name, words) => {
    await using world = await execWorld({ steps: twice })
    const id = await begin(world)
    const { end } = await world.execJson(['resume', ...words(id), 'second'])
    expect(end).toMatchObject({ exitCode: 0, conversationId: id, answer: 'Two.' })
    expect(saidToModel(world)).toMatch(/"first".*"second"/)
    expect(JSON.stringify(world.model.requests.at(-1)?.body)).toContain('One.')
  })

  test('takes its prompt from stdin too', async () => {
    await using world = await execWorld({ steps: twice })
    await begin(world)
    expect(await world.exec(['resume', '--last'], { stdin: 'second' })).toMatchObject({ exitCode: 0, stdout: 'Two.\n' })
    expect(saidToModel(world)).toContain('"second"')
  })

  test('brings back folder, model, effort and policy, wherever it is typed', async () => {
    await using world = await execWorld({
      files: { 'sub/x': '' },
      steps: [...twice, shell('pwd; touch y'), { text: 'Three.' }],
    })
    const id = await begin(world, ['-C', 'sub', '-m', 'special', '-e', 'high', '-a', 'untrusted', '-s', 'read-only'])
    await world.exec(['resume', id, 'second'])
    expect(world.model.requests.at(-1)?.body).toMatchObject({ model: 'special', reasoning: { effort: 'high' } })
    expect(world.model.requests.at(-1)?.text).toContain(world.path('sub'))
    const { end, events } = await world.execJson(['resume', id, 'third'])
    expect(end.denials).toHaveLength(1)
    expect(JSON.stringify(events)).toContain('the approval policy is untrusted')
  })

  test('lets flags and -c outrank what was recorded', async () => {
    await using world = await execWorld({ steps: [...twice, { text: 'Three.' }] })
    const id = await begin(world)
    await world.exec(['resume', id, '-m', 'by-flag', 'second'])
    expect(world.model.requests.at(-1)?.body).toMatchObject({ model: 'by-flag' })
    await world.exec(['resume', id, '-c', 'model="by-c"', 'third'])
    expect(world.model.requests.at(-1)?.body).toMatchObject({ model: 'by-c' })
  })

  test('asks for another folder when the recorded one is gone', async () => {
    await using world = await execWorld({ files: { 'sub/x': '' }, steps: twice })
    const id = await begin(world, ['-C', 'sub'])
    await rm(world.path('sub'), { recursive: true })
    const gone = await world.exec(['resume', id, 'second'])
    expect(gone).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/sub does not exist.*--cd/) })
    await mkdir(world.path('other'))
    expect(await world.exec(['resume', id, '-C', 'other', 'second'])).toMatchObject({ exitCode: 0, stdout: 'Two.\n' })
  })
})

describe('parley exec resume ends with 5 for', () => {
  test('an id that does not exist, and offers the nearest', async () => {
    await using world = await execWorld({ steps: twice })
    const id = await begin(world)
    const last = id.endsWith('0') ? '1' : '0'
    const { exitCode, stderr } = await world.exec(['resume', `${id.slice(-8, -1)}${last}`, 'hi'])
    expect(exitCode).toBe(5)
    expect(stderr).toContain(`Nearest: ${id.slice(-8)}.`)
  })

  test('a beginning that several have, and names them', async () => {
    await using world = await execWorld({ steps: twice })
    const ids = [await begin(world), await begin(world)]
    const { exitCode, stderr } = await world.exec(['resume', '01', 'hi'])
    expect(exitCode).toBe(5)
    for (const id of ids) expect(stderr).toContain(id.slice(-8))
  })

  test('--last when there is none', async () => {
    await using world = await execWorld()
    const { exitCode, stderr } = await world.exec(['resume', '--last', 'hi'])
    expect({ exitCode, stderr }).toEqual({ exitCode: 5, stderr: 'parley: There is no conversation to resume yet.\n' })
  })
})

/** A conversation in another process, whose approval waits for a person there. */
async function waitingElsewhere(world: ExecWorld) {
  const server = spawnServer({
    command: [process.execPath, join(dirname(cliPath), 'server.mjs')],
    env: { ...process.env, ...world.env },
    home: world.env.PARLEY_HOME,
  })
  const parley = await connect({ server }, { name: 'person' })
  const conversation = await parley.create({ cwd: world.cwd })
  const asked = new Promise<ApprovalId>((resolve) => {
    conversation.subscribe((envelope) => {
      if (envelope?.event.type === 'approval.requested') resolve(envelope.event.approval.id)
    })
  })
  await conversation.request('conversation/sendMessage', { input: [{ type: 'text', text: 'first' }] })
  const approvalId = await asked
  const kill = async () => {
    server.kill('SIGKILL')
    await server.exited
  }
  return { conversation, approvalId, pid: server.pid, kill, [Symbol.asyncDispose]: kill }
}

describe('a conversation that is live in another process', () => {
  const steps = [shell('touch made'), { text: 'Made.' }, { text: 'Hello to you.' }]

  test('is joined there: the message waits for the turn that runs, whose question stays with the person', async (context) => {
    context.skip(!hasFullSandbox, noFullSandbox)
    await using world = await execWorld({ steps })
    await using elsewhere = await waitingElsewhere(world)
    const { conversation, approvalId, pid } = elsewhere
    await using run = world.start(['--json', 'resume', conversation.id, 'hi'])
    await expect.poll(run.stdout, { timeout: 30_000 }).toContain('"message.queued"')
    expect(conversation.state.core.approvals[approvalId]?.state).toBe('pending')
    expect((await world.parley('list')).stdout).toContain(`[open in process ${pid}]`)
    await conversation.decide(approvalId, 'approved')
    const { end, result } = jsonRun(await run.result)
    expect(end).toMatchObject({ exitCode: 0, conversationId: conversation.id, answer: 'Hello to you.', denials: [] })
    expect(result.stderr).toBe(
      `parley: The conversation is open in process ${pid}; this run joins it there. Approvals are answered there.\n` +
        'parley: A turn is running there; the message waits for its end.\n',
    )
    expect((await world.shell('ls')).stdout).toBe('made\n')
  })

  test('keeps its turn when the run that waits is stopped, which takes its message back', async () => {
    await using world = await execWorld({ steps })
    await using elsewhere = await waitingElsewhere(world)
    const { conversation, approvalId } = elsewhere
    await using run = world.start(['--json', 'resume', conversation.id, 'hi'])
    await expect.poll(run.stdout, { timeout: 30_000 }).toContain('"message.queued"')
    run.signal('SIGINT')
    expect(jsonRun(await run.result).end).toMatchObject({ exitCode: 130, failure: { code: 'stopped' } })
    expect(conversation.state.core.inbox).toEqual([])
    expect(conversation.state.core.approvals[approvalId]?.state).toBe('pending')
  })

  test('has questions of the run answered by the person, or denied once nobody else is there', async (context) => {
    context.skip(!hasFullSandbox, noFullSandbox)
    await using world = await execWorld({
      steps: [...steps.slice(0, 2), shell('touch asked'), shell('touch alone'), { text: 'One of two.' }],
    })
    await using elsewhere = await waitingElsewhere(world)
    const { conversation, approvalId } = elsewhere
    await conversation.decide(approvalId, 'approved')
    conversation.onApproval(async ({ title }) => (title === 'touch asked' ? 'approved' : null))
    await using run = world.live(['--json', 'resume', conversation.id, 'hi'])
    await waitUntil(() => /"approval.requested".*touch alone/.test(run.stdout()), { what: 'the second question' })
    await conversation.close()
    const { end } = jsonRun(await run.result)
    expect(end).toMatchObject({ exitCode: 0, answer: 'One of two.', denials: [{ title: 'touch alone' }] })
    expect((await world.shell('ls')).stdout).toBe('asked\nmade\n')
  })

  test.runIf(isLong)('denies the question of a person who has left, which its message waits behind', async () => {
    await using world = await execWorld({ steps })
    await using elsewhere = await waitingElsewhere(world)
    const { conversation } = elsewhere
    await using run = world.live(['--json', 'resume', conversation.id, 'hi'])
    await expect.poll(run.stdout, { timeout: 30_000 }).toContain('"message.queued"')
    await conversation.close()
    const { end, result } = jsonRun(await run.result)
    expect(end).toMatchObject({ exitCode: 0, answer: 'Hello to you.' })
    expect(result.stdout).toMatch(/"approval.decided".*"denied"/)
    expect((await world.shell('ls')).stdout).toBe('')
  })

  test('takes the flags of the run, as a window that joins it does, up to what its server may allow', async () => {
    await using world = await execWorld({ steps })
    await using elsewhere = await waitingElsewhere(world)
    const { conversation, approvalId } = elsewhere
    await conversation.decide(approvalId, 'approved')
    const named = await world.execJson(['resume', conversation.id, '-m', 'other', 'hi'])
    expect(named.end).toMatchObject({ exitCode: 0, answer: 'Hello to you.' })
    expect(world.model.requests.at(-1)?.body).toMatchObject({ model: 'other' })
    const wide = await world.execJson(['resume', conversation.id, '-s', 'danger-full-access', 'hi'])
    expect(wide.end).toMatchObject({ exitCode: 2, failure: { code: 'aboveCeiling' } })
  })

  test('that cannot be reached ends the run with 9, and the process is named', async () => {
    await using world = await execWorld({ steps })
    await using elsewhere = await waitingElsewhere(world)
    process.kill(elsewhere.pid ?? 0, 'SIGSTOP')
    const { result, end } = await world.execJson(['resume', elsewhere.conversation.id, 'hi'])
    expect(result.exitCode).toBe(9)
    expect(end.failure).toMatchObject({ code: 'liveElsewhere' })
    expect(result.stderr).toContain(`is open in process ${elsewhere.pid}`)
  })

  test('goes on when that was killed: what waited is closed, not run, and told', async () => {
    await using world = await execWorld({ steps: [shell('touch made'), { text: 'On we go.' }] })
    await using elsewhere = await waitingElsewhere(world)
    await elsewhere.kill()
    const { exitCode, stdout, stderr } = await world.exec(['resume', elsewhere.conversation.id, 'second'])
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'On we go.\n' })
    expect(stderr).toContain('An earlier turn still waited for an answer; closed, and not run: touch made')
    expect((await world.shell('ls')).stdout).toBe('')
  })

  test('is asked again with the same id where the run answers on stdin, and its message waits for that turn', async (context) => {
    context.skip(!hasFullSandbox, noFullSandbox)
    await using world = await execWorld({ steps: [shell('touch made'), { text: 'Made.' }, { text: 'Second.' }] })
    await using elsewhere = await waitingElsewhere(world)
    const [{ id = '' } = {}] = Object.values(elsewhere.conversation.state.core.approvals)
    await elsewhere.kill()
    const resume = ['resume', elsewhere.conversation.id, '--json', '--input-format', 'jsonl']
    await using run = world.live([...resume, 'second'])
    await waitUntil(() => run.stdout().includes('"approval.requested"'), { what: 'the question' })
    expect(run.stdout()).toContain(`"id":"${id}"`)
    run.write(`${JSON.stringify({ type: 'answer', approvalId: id, decision: 'approved' })}\n`)
    run.closeStdin()
    const { events, end } = jsonRun(await run.result)
    expect(events.filter(({ type }) => type === 'turn.ended')).toHaveLength(2)
    expect(events.filter(({ type }) => type === 'execution.started')).toHaveLength(1)
    expect(end).toMatchObject({ exitCode: 0, answer: 'Second.', denials: [] })
    expect((await world.shell('ls')).stdout).toBe('made\n')
  })

  test('is denied where such a run ends its stdin without an answer', async () => {
    await using world = await execWorld({ steps: [shell('touch made'), { text: 'Not made.' }] })
    await using elsewhere = await waitingElsewhere(world)
    await elsewhere.kill()
    const resume = ['resume', elsewhere.conversation.id, '--input-format', 'jsonl']
    const { result, end } = await world.execJson(resume, { stdin: '' })
    expect(result.exitCode).toBe(0)
    expect(end).toMatchObject({ answer: 'Not made.', denials: [{ title: 'touch made' }] })
    expect((await world.shell('ls')).stdout).toBe('')
  })
})

describe('parley exec fork', () => {
  test('goes on in a copy, whole or up to an event, and leaves the original as it is', async () => {
    await using world = await execWorld({ steps: [...twice, { text: 'Three.' }, { text: 'Four.' }] })
    const first = await world.execJson(['first'])
    const id = first.end.conversationId
    await world.exec(['resume', id, 'second'])
    const whole = await world.execJson(['fork', id.slice(-8), 'third'])
    expect(whole.end).toMatchObject({ exitCode: 0, answer: 'Three.' })
    expect(whole.end.conversationId).not.toBe(id)
    expect(saidToModel(world)).toMatch(/"first".*"second".*"third"/)
    const at = `${first.events.length}`
    const cut = await world.execJson(['fork', id, '--at', at, '-m', 'other', 'fourth'])
    expect(cut.end.answer).toBe('Four.')
    expect(saidToModel(world)).toMatch(/"first".*"fourth"/)
    expect(saidToModel(world)).not.toContain('second')
    expect(world.model.requests.at(-1)?.body).toMatchObject({ model: 'other' })
  })

  test('leaves no copy behind when the flags are wrong', async () => {
    await using world = await execWorld({ steps: twice, files: { file: '' } })
    const id = await begin(world)
    const { end } = await world.execJson(['fork', id, '-C', 'file', 'second'])
    expect(end).toMatchObject({ exitCode: 2, conversationId: null, failure: { code: 'cwdMissing' } })
    expect((await world.parley('list', '--json')).lines()).toHaveLength(1)
  })

  test('copies a conversation that is live in another process', async () => {
    await using world = await execWorld({ steps: [shell('touch made'), { text: 'Copied.' }] })
    await using elsewhere = await waitingElsewhere(world)
    const { end } = await world.execJson(['fork', elsewhere.conversation.id, 'hi'])
    expect(end).toMatchObject({ exitCode: 0, answer: 'Copied.' })
    expect(elsewhere.conversation.state.core.approvals[elsewhere.approvalId]?.state).toBe('pending')
  })
})
