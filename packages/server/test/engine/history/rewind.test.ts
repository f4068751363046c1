import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { fullAccess, type Talk, type TestPlace, testPlace } from '../support/test-server.ts'

const free = { sandbox: 'danger-full-access' } as const
const shell = (command: string) => ({ calls: [{ name: 'shell', args: { command } }] })
const patch = (text: string) => ({
  calls: [{ name: 'apply_patch', args: { patch: `*** Begin Patch\n${text}\n*** End Patch` } }],
})

/** Runs one turn with the steps of a model, without a question. */
async function turnOf(place: TestPlace, ...steps: readonly ReturnType<typeof shell | typeof patch>[]): Promise<Talk> {
  const talk = await place.talk({ model: scriptedModel(...steps, { text: 'ok' }) }, free)
  await talk.watched.send('go')
  await talk.watched.turnEnded()
  return talk
}

function rewinding({ client, summary: { conversationId } }: Talk) {
  const planTo = (to: number, overwrite = false) =>
    client.request('conversation/rewind/plan', { conversationId, to, overwrite })
  return {
    planTo,
    async to(to: number, overwrite = false) {
      const { hash } = await planTo(to, overwrite)
      return await client.request('conversation/rewind', { conversationId, to, overwrite, hash })
    },
  }
}

describe('a rewind', () => {
  it('brings back what commands and patches changed, and is undone by another', async () => {
    await using place = testPlace()
    place.write('a.txt', 'one\n')
    place.write('gone.txt', 'gone\n')
    const talk = await turnOf(
      place,
      patch('*** Update File: a.txt\n@@\n-one\n+two'),
      shell('echo three >> a.txt; rm gone.txt; mkdir -p sub; echo new > sub/new.txt'),
    )
    const rewind = rewinding(talk)
    const plan = await rewind.planTo(1)
    expect(plan.changes.map(({ path, kind }) => `${kind} ${path}`).sort()).toEqual([
      'add gone.txt',
      'delete sub/new.txt',
      'update a.txt',
    ])
    expect(plan.changes.find(({ path }) => path === 'a.txt')?.diff).toContain('-two\n-three\n+one')
    expect([plan.left, plan.notes]).toEqual([[], []])
    const done = await rewind.to(1)
    expect(done.status).toBe('completed')
    expect([place.read('a.txt'), place.read('gone.txt'), existsSync(join(place.cwd, 'sub/new.txt'))]).toEqual([
      'one\n',
      'gone\n',
      false,
    ])
    await rewind.to(done.seq)
    expect([place.read('a.txt'), place.read('sub/new.txt'), existsSync(join(place.cwd, 'gone.txt'))]).toEqual([
      'two\nthree\n',
      'new\n',
      false,
    ])
  })

  it('is told to the model, and shown as an item that names who asked', async () => {
    await using place = testPlace()
    place.write('a.txt', 'one\n')
    const model = scriptedModel(shell('echo two > a.txt'), { text: 'ok' }, { text: 'fine' })
    const talk = await place.talk({ model }, free)
    await talk.watched.send('go')
    await talk.watched.turnEnded()
    await rewinding(talk).to(1)
    await talk.watched.send('on')
    await talk.watched.turnEnded()
    expect(JSON.stringify(model.requests[2]?.entries.at(-2))).toContain('I took changes of files back myself')
    expect(talk.watched.items().find((item) => item.type === 'fileChange')).toMatchObject({
      status: 'completed',
      title: 'Take back 1 file',
      rewind: { to: 1 },
      changes: [{ path: 'a.txt', kind: 'update' }],
    })
  })

  it('keeps modes, links and binary contents, and brings a renamed file back', async () => {
    await using place = testPlace()
    const bytes = Buffer.from([0, 255, 13, 10, 0])
    const at = (name: string) => join(place.cwd, name)
    writeFileSync(at('binary'), bytes)
    place.write('run.sh', 'echo\n')
    chmodSync(at('run.sh'), 0o755)
    place.write('old.txt', 'old\n')
    symlinkSync('old.txt', at('link'))
    symlinkSync('old.txt', at('turned'))
    const talk = await turnOf(
      place,
      shell(
        'printf x > binary; chmod 600 run.sh; mv old.txt new.txt; rm link; ln -sf new.txt turned; ln -s new.txt made; rm run.sh; echo y > link',
      ),
    )
    await rewinding(talk).to(1)
    expect(readFileSync(at('binary'))).toEqual(bytes)
    expect(lstatSync(at('run.sh')).mode & 0o777).toBe(0o755)
    expect([readlinkSync(at('link')), readlinkSync(at('turned'))]).toEqual(['old.txt', 'old.txt'])
    expect([place.read('old.txt'), existsSync(at('new.txt')), existsSync(at('made'))]).toEqual(['old\n', false, false])
  })

  it('leaves what somebody else changed since, or in between, unless it is told to overwrite it', async () => {
    await using place = testPlace()
    for (const name of ['mine.txt', 'between.txt', 'models.txt']) place.write(name, '0\n')
    const model = scriptedModel(
      shell('for f in mine between models; do echo 1 > $f.txt; done'),
      { text: 'ok' },
      shell('echo 3 >> between.txt'),
      { text: 'ok' },
    )
    const talk = await place.talk({ model }, free)
    await talk.watched.send('go')
    await talk.watched.turnEnded()
    place.write('between.txt', '2\n')
    await talk.watched.send('again')
    await talk.watched.turnEnded()
    place.write('mine.txt', 'mine\n')
    const rewind = rewinding(talk)
    const plan = await rewind.planTo(1)
    expect(plan.changes.map(({ path }) => path)).toEqual(['models.txt'])
    expect(plan.left.map(({ path, why }) => `${why} ${path}`).sort()).toEqual([
      'changedSince between.txt',
      'changedSince mine.txt',
    ])
    await rewind.to(1)
    expect([place.read('mine.txt'), place.read('between.txt'), place.read('models.txt')]).toEqual([
      'mine\n',
      '2\n3\n',
      '0\n',
    ])
    const done = await rewind.to(1, true)
    expect([place.read('mine.txt'), place.read('between.txt')]).toEqual(['0\n', '0\n'])
    await rewind.to(done.seq)
    expect([place.read('mine.txt'), place.read('between.txt')]).toEqual(['mine\n', '2\n3\n'])
  })

  it('is refused when a file has changed since the plan was shown, and then changes nothing', async () => {
    await using place = testPlace()
    place.write('a.txt', '0\n')
    place.write('b.txt', '0\n')
    const talk = await turnOf(place, shell('echo 1 > a.txt; echo 1 > b.txt'))
    const { client, summary } = talk
    const { hash } = await rewinding(talk).planTo(1)
    place.write('b.txt', 'mine\n')
    const { conversationId } = summary
    const refused = client.request('conversation/rewind', { conversationId, to: 1, hash })
    await expect(refused).rejects.toMatchObject({ data: { code: 'planChanged' } })
    expect([place.read('a.txt'), place.read('b.txt')]).toEqual(['1\n', 'mine\n'])
  })

  it('says which file is too large, and leaves it', async () => {
    await using place = testPlace()
    place.write('large', 'x'.repeat(1024 * 1024 + 1))
    const talk = await turnOf(place, shell('echo 1 > large'))
    const plan = await rewinding(talk).planTo(1)
    expect([plan.changes, plan.left.map(({ path, why }) => [path, why])]).toEqual([[], [['large', 'notKept']]])
  })

  it('covers an ignored file that a patch names', async () => {
    await using place = testPlace()
    place.write('.gitignore', 'ignored\n')
    place.write('ignored', '0\n')
    const talk = await turnOf(place, patch('*** Update File: ignored\n@@\n-0\n+1'), shell('echo 2 >> other'))
    await rewinding(talk).to(1)
    expect([place.read('ignored'), existsSync(join(place.cwd, 'other'))]).toEqual(['0\n', false])
  })

  it('works after the server has ended, and in a fork', async () => {
    await using place = testPlace()
    place.write('a.txt', '0\n')
    const first = await turnOf(place, shell('echo 1 > a.txt'))
    const { conversationId } = first.summary
    await first.server.close()
    const server = place.start({ model: scriptedModel() })
    const client = await server.connect()
    await client.request('conversation/resume', { conversationId })
    const fork = await client.request('conversation/fork', { conversationId })
    const plan = await client.request('conversation/rewind/plan', { conversationId: fork.conversationId, to: 1 })
    expect(plan.changes.map(({ path }) => path)).toEqual(['a.txt'])
    const { hash } = plan
    await client.request('conversation/rewind', { conversationId, to: 1, hash })
    expect(place.read('a.txt')).toBe('0\n')
  })

  it('does not run while a turn is open', async () => {
    await using place = testPlace()
    place.write('a.txt', '0\n')
    const { promise, resolve } = Promise.withResolvers<void>()
    const model = scriptedModel(shell('echo 1 > a.txt'), { text: 'ok' }, { begins: 'shell', gate: promise })
    const talk = await place.talk({ model }, free)
    await talk.watched.send('go')
    await talk.watched.turnEnded()
    await talk.watched.send('more')
    const refused = rewinding(talk).to(1)
    await expect(refused).rejects.toMatchObject({ data: { code: 'turnInProgress' } })
    resolve()
    expect(place.read('a.txt')).toBe('1\n')
  })

  it('is denied where the policy denies a patch', async () => {
    await using place = testPlace()
    place.write('a.txt', '0\n')
    const talk = await turnOf(place, shell('echo 1 > a.txt'))
    const { client, summary } = talk
    const { conversationId } = summary
    const settings = { sandbox: 'read-only', approvalPolicy: 'never' } as const
    await client.request('conversation/configure', { conversationId, settings })
    await expect(rewinding(talk).planTo(1)).rejects.toMatchObject({ data: { code: 'notPermitted' } })
  })

  it('shows no secret of a file, and brings it back exactly', async () => {
    await using place = testPlace()
    const secret = `AKIA${'IOSFODNN7ABCDEFG'}`
    place.write('a.txt', `key = ${secret}\n`)
    const talk = await turnOf(place, shell('echo 1 > a.txt'))
    const plan = await rewinding(talk).planTo(1)
    expect(plan.changes[0]?.diff).toMatch(/\+key = \[secret:/)
    expect(JSON.stringify(plan)).not.toContain(secret)
    await rewinding(talk).to(1)
    expect(place.read('a.txt')).toBe(`key = ${secret}\n`)
    expect(place.logLines(talk.summary.conversationId).join('\n')).not.toContain(secret)
  })

  describe('of files whose names hold a secret', () => {
    const secret = `ghp_${'aB3dE6gH9'.repeat(4)}`
    // In two pieces, so that the command itself runs as it is.
    const named = (before: string) => `"${before}${secret.slice(0, 9)}"'${secret.slice(9)}.txt'`
    const names = /new-\[secret:github:[0-9a-f]{8}\]\.txt/

    it('shows no name, and brings back each', async () => {
      await using place = testPlace()
      place.write(`old-${secret}.txt`, 'old\n')
      place.write(`gone-${secret}.txt`, 'gone\n')
      const talk = await turnOf(
        place,
        shell(`echo 1 > ${named('new-')}; echo 2 > ${named('old-')}; rm ${named('gone-')}`),
      )
      const plan = await rewinding(talk).planTo(1)
      expect(plan.changes).toHaveLength(3)
      expect(JSON.stringify(talk.watched.events)).toMatch(names)
      await rewinding(talk).to(1)
      expect(
        readdirSync(place.cwd)
          .filter((name) => name.endsWith('.txt'))
          .sort(),
      ).toEqual([`gone-${secret}.txt`, `old-${secret}.txt`])
      expect(place.read(`old-${secret}.txt`)).toBe('old\n')
      const seen = [...place.logLines(talk.summary.conversationId), JSON.stringify([plan, talk.watched.events])]
      expect(seen.join('\n')).not.toContain(secret)
    })

    it('brings back those that are there after a restart, and leaves others', async () => {
      await using place = testPlace()
      place.write(`gone-${secret}.txt`, 'gone\n')
      const first = await turnOf(place, shell(`echo 1 > ${named('new-')}; rm ${named('gone-')}`))
      const { conversationId } = first.summary
      await first.server.close()
      const client = await place.start({ ceiling: fullAccess }).connect()
      await client.request('conversation/resume', { conversationId })
      const again = { ...first, client }
      const plan = await rewinding(again).planTo(1)
      expect(plan.changes.map(({ path }) => path)).toEqual([expect.stringMatching(names)])
      expect(plan.left).toEqual([
        {
          path: expect.stringMatching(/gone-\[secret:github:[0-9a-f]{8}\]\.txt$/),
          why: 'notPossible',
          text: expect.stringContaining('its name holds a secret'),
        },
      ])
      await rewinding(again).to(1)
      expect(readdirSync(place.cwd).filter((name) => name.endsWith('.txt'))).toEqual([])
    })

    it('lists many of them without a name', async () => {
      await using place = testPlace()
      const talk = await turnOf(place, shell(`for i in $(seq 150); do echo $i > $i-${named('new-')}; done`))
      const plan = await rewinding(talk).planTo(1)
      expect(plan.changes).toHaveLength(150)
      await rewinding(talk).to(1)
      expect(readdirSync(place.cwd).filter((name) => name.endsWith('.txt'))).toEqual([])
    })
  })

  it('lists many files in a side file', async () => {
    await using place = testPlace()
    mkdirSync(join(place.cwd, 'many'))
    const talk = await turnOf(place, shell('for i in $(seq 150); do echo $i > many/$i; done'))
    const changed = talk.watched.events.find(({ event }) => event.type === 'files.changed')?.event
    expect(changed).toMatchObject({ count: 150, files: [], list: expect.stringContaining('sha256:') })
    const plan = await rewinding(talk).planTo(1)
    expect(plan.changes).toHaveLength(150)
    unlinkSync(join(place.cwd, 'many', '7'))
    expect((await rewinding(talk).planTo(1)).changes).toHaveLength(149)
  })
})
