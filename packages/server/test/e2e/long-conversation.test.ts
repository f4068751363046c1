import { hookEvents, type Item } from '@parley/protocol'
import { waitUntil } from '@parley/testkit'
import { expect, it } from 'vitest'
import { type LongCourse, longCourse } from './support/long-course.ts'

const call = (name: string, args: object) => ({ calls: [{ name, arguments: args }] })
const said = { text: 'Done.' }
/** Leaves a line, so that what runs twice shows. */
const leaves = (word: string) => `echo ${word} >> ran.txt`
const added = (path: string, line: string) => `*** Begin Patch\n*** Add File: ${path}\n+${line}\n*** End Patch`
const isNotice = (code: string) => (item: Item) => item.type === 'notice' && item.code === code

const skill = `---
name: deploy
description: Deploys.
allowed-tools: Read
---
Run the script.`

/** What people do in a conversation, each with a kill -9 in its middle, in this order. */
const scenes: Readonly<Record<string, (course: LongCourse) => Promise<void>>> = {
  async 'a plan that is taken up'(course) {
    await course.say('plan the walrus', [call('propose_plan', { title: 'Walrus', steps: ['feed it'] }), said])
    const id = await course.killedWhileAsked('plan')
    await course.answer(id, { decision: 'approved', answers: { mode: 'edit' } })
    expect(course.watched.state.core.settings).toMatchObject({
      sandbox: 'workspace-write',
      approvalPolicy: 'on-request',
    })
  },
  async 'a mode that is chosen'(course) {
    await course.configure({ sandbox: 'danger-full-access', approvalPolicy: 'untrusted' })
    await course.killed()
    expect(course.watched.state.core.settings).toMatchObject({
      sandbox: 'danger-full-access',
      approvalPolicy: 'untrusted',
    })
  },
  async 'a question of the model'(course) {
    const questions = [{ header: 'Food', text: 'Which food?', options: ['fish', 'clams'] }]
    await course.say('feed it', [call('ask_user', { questions }), said])
    const id = await course.killedWhileAsked('question')
    await course.answer(id, { decision: 'approved', answers: { q1: 'clams' } })
    expect(JSON.stringify(course.model.requests.at(-1)?.body)).toMatch(/answered.{1,40}Food.{1,40}clams/)
  },
  async 'a command with a part that runs'(course) {
    await course.say('/state of it', [said])
    const id = await course.killedWhileAsked('command')
    await course.answer(id, { decision: 'approved' })
    expect(JSON.stringify(course.model.requests.at(-1)?.body)).toContain('State of it')
  },
  async 'a skill that narrows what runs unasked'(course) {
    await course.configure({ approvalPolicy: 'on-request' })
    await course.say('$deploy it', [call('shell', { command: leaves('deployed') }), said])
    const id = await course.killedWhileAsked('command')
    await course.answer(id, { decision: 'approved' })
  },
  async 'a hook that runs before a call'(course) {
    const { place } = course
    await course.say('look', [call('list_dir', { path: '.' })])
    await course.watched.until(({ core }) => core.turn?.hook?.name === 'waits')
    place.write('../go', '')
    await course.killed()
    await course.goOn([said])
    expect(course.done().filter(({ title }) => title.startsWith('List'))).toMatchObject([{ status: 'interrupted' }])
  },
  async 'a compaction, with the hook before it'(course) {
    course.model.script([{ text: 'A summary of it.', chunks: 8, hang: 'mid' }])
    await course.client.request('conversation/compact', course.ids)
    await course.streams('contextCompaction')
    await course.killed()
    course.model.script([{ text: 'A walrus was fed.' }])
    await course.client.request('conversation/compact', course.ids)
    await course.turnEnded()
    expect(course.log().filter(({ type }) => type === 'context.compacted')).toHaveLength(1)
  },
  async 'a console in the background that both type into'(course) {
    const command = `${leaves('console')}; while read -r l; do echo "got $l"; done`
    const write = ({ text }: { readonly text: string }) => {
      const id = /Started in the background as process ([\w-]+)/.exec(text)?.[1] ?? ''
      return call('write_process', { id, text: 'fish' })
    }
    await course.say('open a console', [
      call('shell', { command, background: true, tty: true, tell_when: 'got clams' }),
      write,
      said,
    ])
    await course.turnEnded()
    const [itemId = ''] = Object.keys(course.watched.state.core.background ?? {})
    await course.client.request('conversation/process/write', { ...course.ids, itemId, text: 'clams' })
    await course.watched.until(({ window }) => window.some(({ item }) => isNotice('backgroundPrinted')(item)))
    await course.killed()
    await course.place.noDescendants()
    await course.say('is it open', [said])
    await course.turnEnded()
    const told = JSON.stringify(course.model.requests.at(-1)?.body)
    expect(told).toMatch(/no longer run here.{1,100}/)
    expect(told).toContain('The user typed')
    for (const code of ['backgroundTyped', 'backgroundPrinted', 'backgroundLost'])
      expect(course.done().filter(isNotice(code))).toHaveLength(1)
  },
  async 'a review, of which a finding is mended'(course) {
    await course.configure({ sandbox: 'danger-full-access', approvalPolicy: 'untrusted' })
    const finding = { severity: 'high', file: 'ran.txt', line: 1, title: 'No notes', why: 'Nobody knows.' }
    await course.say(
      'review it',
      [
        call('report_findings', { findings: [finding] }),
        { hang: 'mid', text: 'One finding, and all of it.', chunks: 8 },
      ],
      { purpose: 'review' },
    )
    await course.streams('agentMessage')
    await course.killed()
    await course.goOn([said], { purpose: 'review' })
    expect(course.done().filter((item) => item.type === 'toolCall' && item.findings !== undefined)).toHaveLength(1)
    await course.say('Mend finding 1', [call('apply_patch', { patch: added('notes.txt', 'fed') }), said])
    await course.answer(await course.killedWhileAsked('patch'), { decision: 'approved' })
    expect(course.place.read('notes.txt')).toBe('fed\n')
  },
  async 'a check of what was done'(course) {
    const checks = { commands: [`${leaves('check')}; test -f notes.txt`], rounds: 1 }
    await course.say('feed it again', [said], { checks })
    await course.answer(await course.killedWhileAsked('command'), { decision: 'approved' })
    expect(course.done().filter((item) => item.type === 'userMessage' && item.ofChecks)).toHaveLength(1)
  },
  async 'instructions that are drafted, and a line to remember'(course) {
    const { place, ids } = course
    await course.say('Draft an AGENTS.md', [call('apply_patch', { patch: added('AGENTS.md', '# Walrus') }), said])
    await course.answer(await course.killedWhileAsked('patch'), { decision: 'approved' })
    const line = { ...ids, text: 'It likes clams.', where: 'project' } as const
    const { hash } = await course.client.request('conversation/remember/plan', line)
    await course.killed()
    await course.client.request('conversation/remember', { ...line, hash })
    expect(place.read('AGENTS.md').match(/clams/g)).toHaveLength(1)
  },
  async 'a name, the search and the archive'(course) {
    const { ids } = course
    await course.client.request('conversation/rename', { ...ids, name: 'Walrus' })
    await course.client.request('conversation/archive', ids)
    await course.killed()
    expect(course.watched.state.core.meta.name).toBe('Walrus')
    const { conversations } = await course.client.request('conversation/list', { archived: true })
    expect(conversations).toMatchObject([ids])
    // The search has a thread of its own, whose program the bundled server of tests lacks.
    const searcher = await course.place.start().connect()
    const found = await searcher.request('conversation/search', { query: '"plan the walrus"', waitMs: 10_000 })
    expect(found.found).toMatchObject([{ conversation: ids }])
    await course.client.request('conversation/unarchive', ids)
  },
  async 'an end that hooks are told of'(course) {
    await course.say('bye', [call('shell', { command: leaves('bye') }), said])
    await course.answer((await course.watched.approval()).id, { decision: 'approved' })
    // They run beside the turn; those of the scenes before may have been killed with their server.
    const isTold = (on: string) => course.log().some((event) => event.type === 'hook.ran' && event.hook.on === on)
    await waitUntil(() => ['PermissionRequest', 'PermissionDecision', 'Notification'].every(isTold), {
      what: 'the hooks that are told',
    })
  },
}

it('a conversation goes on through all that people do in it, killed in the middle of each', {
  timeout: 180_000,
}, async () => {
  await using course = await longCourse({
    '.agents/skills/deploy/SKILL.md': skill,
    '.parley/prompts/state.md': `State: !\`${leaves('part')}; echo State of it\``,
  })
  for (const [name, play] of Object.entries(scenes)) {
    await play(course).catch((cause: unknown) => {
      throw new Error(`${name}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    })
  }
  const { difference } = await course.client.request('replay/run', { conversation: course.ids.conversationId })
  expect(difference).toBeNull()
  await course.leave()
  const log = course.log()
  const idsOf = (type: string) =>
    log.flatMap((event) => (event.type === type && 'itemId' in event ? [event.itemId] : []))
  expect(new Set(idsOf('execution.started')).size).toBe(idsOf('execution.started').length)
  const asked = log.flatMap((event) => (event.type === 'approval.requested' ? [event.approval.id] : []))
  const decided = log.flatMap((event) => (event.type === 'approval.decided' ? [event.approvalId] : []))
  expect(decided).toEqual(asked)
  expect(new Set(asked).size).toBe(asked.length)
  expect(course.place.read('ran.txt').trim().split('\n')).toEqual(['part', 'deployed', 'console', 'check', 'bye'])
  const hooks = new Set(log.flatMap((event) => (event.type === 'hook.ran' ? [event.hook.on] : [])))
  expect([...hooks].sort()).toEqual([...hookEvents].sort())
  await waitUntil(() => course.place.descendants().length === 0, { what: 'the end of all commands' })
})
