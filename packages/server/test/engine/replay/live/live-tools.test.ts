import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { fakeSandboxes } from '@parley/engine/test/support/fake-sandboxes.ts'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { decodeLine, encodeLine } from '@parley/journal'
import { describe, expect, it } from 'vitest'
import { type Talk, type TestPlace, testPlace } from '../../support/test-server.ts'

const shell = (command: string, more: object = {}) => ({ calls: [{ name: 'shell', args: { command, ...more } }] })
const patch = (text: string) => ({
  calls: [{ name: 'apply_patch', args: { patch: `*** Begin Patch\n${text}\n*** End Patch` } }],
})

type Step = ReturnType<typeof shell | typeof patch> | { readonly calls: { name: string; args: object }[] }

async function talkOf(place: TestPlace, ...steps: readonly Step[]): Promise<Talk> {
  const talk = await place.talk({ model: scriptedModel(...steps, { text: 'ok' }), ...fakeSandboxes() })
  await talk.watched.send('go')
  return talk
}

function replayed({ client, summary: { conversationId } }: Talk) {
  return client.request('replay/run', { conversation: conversationId, liveTools: {} })
}

/** Returns the line of a log with a path in place of another, with its checksum. */
function forged(line: string, [path, other]: readonly [string, string]): string {
  const logged = decodeLine(line.replaceAll(path, other))
  return logged === null ? line : encodeLine(logged).text
}

describe('a replay with live tools', () => {
  it('runs every call in a copy that begins as the workspace did, and leaves the workspace alone', async () => {
    await using place = testPlace()
    place.write('a.txt', 'one\n')
    const talk = await talkOf(
      place,
      patch('*** Update File: a.txt\n@@\n-one\n+two'),
      shell(`date; cat ${place.cwd}/a.txt; echo three >> a.txt; pwd`),
      { calls: [{ name: 'read_file', args: { path: 'a.txt' } }] },
      shell('cat a.txt; exit 3'),
    )
    await talk.watched.turnEnded()
    expect(place.read('a.txt')).toBe('two\nthree\n')
    expect(await replayed(talk)).toMatchObject({
      difference: null,
      live: { ran: 4, taken: [], unlike: [], start: expect.stringContaining('1 file as before') },
    })
    expect(place.read('a.txt')).toBe('two\nthree\n')
    expect(readdirSync(place.cwd)).toEqual(['a.txt'])
  })

  it('names the first call that comes to something else, by what it said or by what it left in a file', async () => {
    await using place = testPlace()
    place.write('tool.sh', 'echo 7 passed\n')
    place.write('input', 'old')
    chmodSync(`${place.cwd}/tool.sh`, 0o700)
    const talk = await talkOf(place, shell('cp input made; echo copied'), shell('./tool.sh'))
    await talk.watched.turnEnded()
    place.write('tool.sh', 'echo 6 passed\n')
    expect(await replayed(talk)).toMatchObject({
      difference: {
        what: '"./tool.sh" came to something else when it ran again.',
        path: 'output',
        logged: '"7 passed\\n"',
        replayed: '"6 passed\\n"',
      },
      live: { ran: 2 },
    })
    place.write('input', `new AKIA${'IOSFODNN7ABCDEFG'}`)
    expect((await replayed(talk)).difference).toMatchObject({
      what: '"cp input made; echo copied" came to something else when it ran again.',
      path: `the file ${place.cwd}/made`,
      logged: '"old"',
      replayed: expect.stringMatching(/^"new (?!AKIA)/),
    })
  })

  it('counts no yes of the log: an escalated command is taken from it, with the files that it changed', async () => {
    await using place = testPlace()
    const mark = `${place.root}/outside`
    const talk = await talkOf(
      place,
      shell(`echo made > made; echo x >> ${mark}`, { escalate: true, reason: 'needed' }),
      shell('cat made'),
    )
    await talk.watched.decide('approved')
    await talk.watched.turnEnded()
    expect(await replayed(talk)).toMatchObject({
      difference: null,
      live: { ran: 1, taken: [{ tool: 'shell', why: expect.stringContaining('outside the sandbox') }], unlike: [] },
    })
    expect(readFileSync(mark, 'utf8')).toBe('x\n')
  })

  it('runs nothing that a rule denies or asks about, whoever said yes in the log', async () => {
    await using place = testPlace()
    const talk = await talkOf(place, shell('touch one'), shell('mkdir two'))
    await talk.watched.turnEnded()
    const rule = (decision: string, program: string) => `[[rule]]\ndecision = "${decision}"\ncommand = ["${program}"]\n`
    writeFileSync(`${place.root}/.parley/policy.toml`, rule('deny', 'touch') + rule('ask', 'mkdir'))
    const { live } = await replayed(talk)
    const taken = [
      { title: 'touch one', why: expect.stringMatching(/^it is denied: /) },
      { title: 'mkdir two', why: expect.stringMatching(/^it needs a yes: /) },
    ]
    expect(live).toMatchObject({ ran: 0, taken })
  })

  it('changes no file outside of the copy, whatever paths a log from elsewhere names', async () => {
    await using place = testPlace()
    const talk = await talkOf(place, shell('echo made > made'))
    await talk.watched.turnEnded()
    const kept = `${place.root}/kept`
    writeFileSync(kept, 'mine')
    // So deep that the way back to the root leads there from the copy, too.
    const claimed = `/claimed${'/x'.repeat(20)}`
    const lines = place
      .logLines(talk.summary.conversationId)
      .map((line) => forged(line, [`${place.cwd}/made`, `${claimed}/${'../'.repeat(21)}${kept.slice(1)}`]))
      .map((line) => forged(line, [place.cwd, claimed]))
    const file = `${place.root}/${talk.summary.conversationId}.jsonl`
    writeFileSync(file, lines.map((line) => `${line}\n`).join(''))
    const { live } = await talk.client.request('replay/run', { file, liveTools: { folder: place.cwd } })
    expect(existsSync(kept) && readFileSync(kept, 'utf8')).toBe('mine')
    expect(live).toMatchObject({ start: expect.stringContaining('earlier content of 1 file is not kept') })
  })

  it('is refused where the sandbox is not enforced in full, and leaves no copy behind', async () => {
    await using place = testPlace()
    const talk = await talkOf(place, shell('echo a'))
    await talk.watched.turnEnded()
    await talk.server.close()
    for (const enforcement of ['partial', 'none'] as const) {
      const client = await place.start(fakeSandboxes(enforcement)).connect()
      const asked = client.request('replay/run', { conversation: talk.summary.conversationId, liveTools: {} })
      await expect(asked).rejects.toMatchObject({ data: { code: 'invalidParams', field: 'liveTools' } })
    }
    const own = readdirSync(tmpdir()).filter(
      (name) => name.startsWith('parley-replay-') && name.includes(`-${process.pid}-`),
    )
    expect(own.filter((name) => existsSync(`${tmpdir()}/${name}`))).toEqual([])
  })
})
