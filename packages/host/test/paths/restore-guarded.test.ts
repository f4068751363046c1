import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMark, identityOf, noSandbox, openHost } from '../../src/index.ts'
import { prepareBubblewrap } from '../../src/sandbox/bubblewrap/prepare-bubblewrap.ts'
import { hasBubblewrap, machine, whyNot } from '../sandbox/bubblewrap/bubblewrap-here.ts'
import { openPlayground, type Playground } from '../sandbox/playground.ts'
import { waitUntil } from '../waiting.ts'

const host = openHost()
beforeAll(() => host.warmUp())
afterAll(() => host.close())

/** Runs a command that waits until `meanwhile` is done by another program; returns the sentences on what was exchanged. */
async function whileRunning(ground: Playground, meanwhile: () => void, script: string) {
  const home = ground.path('home')
  const sandbox = await prepareBubblewrap(
    ground.limits({ masked: secrets.map((name) => ground.path(name)) }),
    machine(home),
  )
  const running = host.runCommand(
    {
      argv: ['sh', '-c', `: > began; until [ -e go ]; do sleep 0.01; done; ${script}; true`],
      cwd: ground.path('workspace'),
      env: { PATH: '/usr/bin:/bin' },
      mark: createMark(),
    },
    { sandbox },
  )
  await waitUntil(() => existsSync(ground.path('workspace/began')))
  meanwhile()
  ground.write({ 'workspace/go': '' })
  const { exchanged = [], head } = await running.ended
  return { exchanged: exchanged.map(({ text }) => text), output: head.toString() }
}

const secrets = ['home/.ssh', 'home/.netrc', 'home/.aws']

/** Replaces a file as editors and git do: by renaming another one over it. */
function exchange(ground: Playground, name: string, text: string): void {
  writeFileSync(ground.path('out/new'), text)
  renameSync(ground.path('out/new'), ground.path(name))
}

function asideOf(ground: Playground, name: string): string[] {
  const folder = ground.path(dirname(name))
  return readdirSync(folder).filter((each) => each.includes('.parley-aside-'))
}

describe.skipIf(!hasBubblewrap)(
  `a guarded path that is exchanged during a command${whyNot}`,
  { timeout: 30_000 },
  () => {
    it.each([
      ['a file that editors run', 'workspace/.envrc', {}],
      [
        'settings that git includes',
        'workspace/conf/git',
        { 'workspace/.git/config': '[include]\n\tpath = ../conf/git\n' },
      ],
    ])('is as before when the command has ended (%s)', async (_, name, more) => {
      using ground = openPlayground()
      ground.write({ [name]: 'as it was\n', ...more })
      const { exchanged } = await whileRunning(
        ground,
        () => exchange(ground, name, 'as it was\n'),
        `echo evil > ${name.slice('workspace/'.length)}`,
      )
      expect(readFileSync(ground.path(name), 'utf8')).toBe('as it was\n')
      expect(exchanged).toEqual([expect.stringContaining(ground.path(name))])
      const [aside = ''] = asideOf(ground, name)
      expect(readFileSync(ground.path(`${dirname(name)}/${aside}`), 'utf8')).toBe('evil\n')
    })

    it.each([
      ['a link to a file that commands may write', symlinkSync],
      ['a second name of a file that commands may write', linkSync],
    ])('in a folder is as before when it became %s', async (_, put) => {
      using ground = openPlayground()
      ground.write({ 'workspace/.vscode/tasks.json': 'as it was\n', 'workspace/mine': 'as it was\n' })
      const meanwhile = () => {
        rmSync(ground.path('workspace/.vscode/tasks.json'))
        put(ground.path('workspace/mine'), ground.path('workspace/.vscode/tasks.json'))
      }
      const { exchanged } = await whileRunning(ground, meanwhile, 'echo evil > mine')
      expect(lstatSync(ground.path('workspace/.vscode/tasks.json')).isFile()).toBe(true)
      expect(readFileSync(ground.path('workspace/.vscode/tasks.json'), 'utf8')).toBe('as it was\n')
      expect(exchanged).toEqual([expect.stringContaining(ground.path('workspace/.vscode/tasks.json'))])
    })

    it('in a folder is left alone as a link to the same content', async () => {
      using ground = openPlayground()
      ground.write({ 'workspace/.vscode/tasks.json': 'as it was\n', 'workspace/mine': 'as it was\n' })
      const meanwhile = () => {
        rmSync(ground.path('workspace/.vscode/tasks.json'))
        symlinkSync(ground.path('workspace/mine'), ground.path('workspace/.vscode/tasks.json'))
      }
      expect((await whileRunning(ground, meanwhile, 'true')).exchanged).toEqual([])
    })

    it('is left alone when its content is the same at the end', async () => {
      using ground = openPlayground()
      ground.write({ 'workspace/.envrc': 'as it was\n' })
      const { exchanged } = await whileRunning(
        ground,
        () => exchange(ground, 'workspace/.envrc', 'as it was\n'),
        'true',
      )
      expect(exchanged).toEqual([])
      expect(asideOf(ground, 'workspace/.envrc')).toEqual([])
    })

    it('is left alone when another program wrote into it, since the command could not', async () => {
      using ground = openPlayground()
      ground.write({ 'workspace/.envrc': 'as it was\n', 'workspace/.vscode/tasks.json': '{}' })
      ground.write({ 'workspace/.git/config': '[core]\n', 'workspace/.git/HEAD': 'x' })
      const meanwhile = () => {
        writeFileSync(ground.path('workspace/.envrc'), 'mine\n')
        exchange(ground, 'workspace/.vscode/tasks.json', '{"mine":1}')
        exchange(ground, 'workspace/.git/config', '[mine]\n')
        ground.write({ 'workspace/.git/hooks/pre-commit': 'mine' })
      }
      const script =
        'echo evil > .git/config; echo evil > .git/hooks/pre-commit; echo evil > .envrc; echo evil > .vscode/tasks.json; echo evil > .vscode/settings.json'
      const { exchanged } = await whileRunning(ground, meanwhile, script)
      expect(exchanged).toEqual([])
      expect(readFileSync(ground.path('workspace/.envrc'), 'utf8')).toBe('mine\n')
      expect(readdirSync(ground.path('workspace/.vscode'))).toEqual(['tasks.json'])
      expect(readFileSync(ground.path('workspace/.git/config'), 'utf8')).toBe('[mine]\n')
      expect(readFileSync(ground.path('workspace/.git/hooks/pre-commit'), 'utf8')).toBe('mine')
      expect(readFileSync(ground.path('workspace/.vscode/tasks.json'), 'utf8')).toBe('{"mine":1}')
    })

    it('is put back with its folder, whatever the command put in the way', async () => {
      using ground = openPlayground()
      ground.write({
        'workspace/.git/config': '[include]\n\tpath = ../conf/git\n',
        'workspace/conf/git': 'as it was\n',
        'out/git': 'of others\n',
      })
      const meanwhile = () => renameSync(ground.path('workspace/conf'), ground.path('workspace/old'))
      await whileRunning(ground, meanwhile, `ln -s ${ground.path('out')} conf`)
      expect(lstatSync(ground.path('workspace/conf')).isDirectory()).toBe(true)
      expect(readFileSync(ground.path('workspace/conf/git'), 'utf8')).toBe('as it was\n')
      expect(readFileSync(ground.path('out/git'), 'utf8')).toBe('of others\n')
    })

    it('that is a folder has the files of its start, and no others that run', async () => {
      using ground = openPlayground()
      ground.write({ 'workspace/.git/config': '[core]\n', 'workspace/.git/HEAD': 'x', 'workspace/.git/objects/x': '' })
      ground.write({ 'workspace/.git/refs/x': '', 'workspace/.git/hooks/pre-commit': 'mine\n' })
      const meanwhile = () => {
        renameSync(ground.path('workspace/.git'), ground.path('out/.git'))
        for (const name of ['objects', 'refs', 'hooks'])
          mkdirSync(ground.path(`workspace/.git/${name}`), { recursive: true })
        ground.write({ 'workspace/.git/HEAD': 'x', 'workspace/.git/config': '[core]\n' })
      }
      const script = 'echo evil >> .git/config; echo evil > .git/hooks/post-checkout'
      const { exchanged } = await whileRunning(ground, meanwhile, script)
      expect(readFileSync(ground.path('workspace/.git/config'), 'utf8')).toBe('[core]\n')
      expect(existsSync(ground.path('workspace/.git/hooks/post-checkout'))).toBe(false)
      expect(exchanged.length).toBeGreaterThan(0)
    })

    it('that is a folder has the links of its start, and no others', async () => {
      using ground = openPlayground()
      ground.write({ 'workspace/.vscode/tasks.json': '{}', 'workspace/real': 'x' })
      symlinkSync('../real', ground.path('workspace/.vscode/settings.json'))
      const meanwhile = () => {
        renameSync(ground.path('workspace/.vscode'), ground.path('out/.vscode'))
        ground.write({ 'workspace/.vscode/tasks.json': '{}' })
        symlinkSync('../real', ground.path('workspace/.vscode/settings.json'))
      }
      const script = 'cd .vscode; rm settings.json; ln -s ../evil settings.json; ln -s ../evil launch.json'
      const { exchanged } = await whileRunning(ground, meanwhile, script)
      expect(readlinkSync(ground.path('workspace/.vscode/settings.json'))).toBe('../real')
      expect(existsSync(ground.path('workspace/.vscode/launch.json'))).toBe(false)
      expect(lstatSync(ground.path('workspace/.vscode/tasks.json')).isFile()).toBe(true)
      expect(exchanged).toHaveLength(2)
    })

    it('that is too large to be compared is named', async () => {
      using ground = openPlayground()
      const many = Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`workspace/.idea/${at}`, '']))
      ground.write(many)
      const meanwhile = () => {
        renameSync(ground.path('workspace/.idea'), ground.path('out/.idea'))
        ground.write({ 'workspace/.idea/x': '' })
      }
      const { exchanged } = await whileRunning(ground, meanwhile, 'echo evil > .idea/x')
      expect(exchanged).toEqual([expect.stringContaining('too large to be compared')])
    })

    it('that was missing is moved aside when its reservation was removed', async () => {
      using ground = openPlayground()
      const clean = () => rmSync(ground.path('workspace/.mcp.json'), { recursive: true })
      const { exchanged } = await whileRunning(ground, clean, 'echo evil > .mcp.json')
      expect(existsSync(ground.path('workspace/.mcp.json'))).toBe(false)
      expect(asideOf(ground, 'workspace/x')).toHaveLength(1)
      expect(exchanged).toEqual([expect.stringContaining('.mcp.json')])
    })

    it.each(['.vscode', '.envrc', '.idea', '.parley', 'sub/.git'])(
      'and is a link (%s) leads where it did',
      async (name) => {
        using ground = openPlayground()
        ground.write({ 'workspace/sub/x': '', 'workspace/real/x': '' })
        const link = ground.path(`workspace/${name}`)
        symlinkSync(ground.path('workspace/real'), link)
        const script = `rm ${name}; mkdir ${name}; echo evil > ${name}/config`
        const { exchanged } = await whileRunning(ground, () => undefined, script)
        expect(readlinkSync(link)).toBe(ground.path('workspace/real'))
        expect(exchanged).toEqual([expect.stringContaining(link)])
      },
    )

    it('by a second name of the same file is as before', async () => {
      using ground = openPlayground()
      ground.write({ 'workspace/.git/config': '[core]\n' })
      linkSync(ground.path('workspace/.git/config'), ground.path('workspace/second'))
      const { exchanged } = await whileRunning(ground, () => undefined, 'echo evil > second')
      expect(readFileSync(ground.path('workspace/.git/config'), 'utf8')).toBe('[core]\n')
      expect(exchanged).toEqual([expect.stringContaining('.git/config')])
    })
  },
)

describe.skipIf(!hasBubblewrap)(`of commands that overlap${whyNot}`, { timeout: 60_000 }, () => {
  /** Starts a command that begins by running a script and then waits for a file. */
  async function begin(ground: Playground, name: string, script: string, last = 'true') {
    const sandbox = await prepareBubblewrap(ground.limits({ masked: [] }), machine(ground.path('home')))
    const argv = ['sh', '-c', `${script}; : > ${name}; until [ -e ${name}-end ]; do sleep 0.01; done; ${last}; true`]
    const spec = { argv, cwd: ground.path('workspace'), env: { PATH: '/usr/bin:/bin' }, mark: createMark() }
    const running = host.runCommand(spec, { sandbox })
    await waitUntil(() => existsSync(ground.path(`workspace/${name}`)))
    return async () => {
      ground.write({ [`workspace/${name}-end`]: '' })
      return (await running.ended).exchanged ?? []
    }
  }
  const replaceLink = 'rm -r .vscode; mkdir .vscode; echo evil > .vscode/tasks.json'

  it.each([['first'], ['second']])('none puts back what another wrote (the %s ends first)', async (order) => {
    using ground = openPlayground()
    ground.write({ 'workspace/real/tasks.json': '{}' })
    symlinkSync('real', ground.path('workspace/.vscode'))
    const first = await begin(ground, 'one', replaceLink)
    const second = await begin(ground, 'two', 'true')
    for (const end of order === 'first' ? [first, second] : [second, first]) await end()
    expect(readlinkSync(ground.path('workspace/.vscode'))).toBe('real')
  })

  it('each is watched for what an earlier one had replaced, after that one has ended', async () => {
    using ground = openPlayground()
    ground.write({ 'workspace/real/x': '', 'workspace/sub/x': '' })
    symlinkSync('../real', ground.path('workspace/sub/.git'))
    const first = await begin(ground, 'one', 'rm sub/.git')
    const second = await begin(ground, 'two', 'true', 'rm sub/.git; mkdir sub/.git; echo evil > sub/.git/config')
    await first()
    expect(readlinkSync(ground.path('workspace/sub/.git'))).toBe('../real')
    await second()
    expect(readlinkSync(ground.path('workspace/sub/.git'))).toBe('../real')
  })
})

describe.skipIf(!hasBubblewrap)(`a secret place${whyNot}`, { timeout: 60_000 }, () => {
  it('that is exchanged or appears during a command is named', async () => {
    using ground = openPlayground()
    ground.write({ 'home/.netrc': 'old' })
    const meanwhile = () => {
      exchange(ground, 'home/.netrc', 'new')
      ground.write({ 'home/.aws/credentials': 'key' })
    }
    const { exchanged } = await whileRunning(ground, meanwhile, 'true')
    const places = ['home/.netrc', 'home/.aws'].map((name) => ground.path(name))
    expect(exchanged).toEqual(places.map((path) => expect.stringMatching(`${path}, .*may have read`)))
  })

  it('that stays as it is is not named', async () => {
    using ground = openPlayground()
    ground.write({ 'home/.netrc': 'old' })
    expect((await whileRunning(ground, () => undefined, 'true')).exchanged).toEqual([])
  })
})

describe('a command that is to start in one folder and no other', () => {
  const start = (ground: Playground, cwdIdentity: string) =>
    host.runCommand(
      {
        argv: ['/bin/sh', '-c', 'pwd; : > made'],
        cwd: ground.path('workspace'),
        cwdIdentity,
        env: { PATH: '/usr/bin:/bin' },
        mark: createMark(),
      },
      { sandbox: noSandbox },
    ).ended

  it('starts in it, by its real path', async () => {
    using ground = openPlayground()
    const end = await start(ground, identityOf(ground.path('workspace')) ?? '')
    expect(end.head.toString()).toBe(`${ground.path('workspace')}\n`)
  })

  it.skipIf(process.platform !== 'linux')('does not start in another of its name', async () => {
    using ground = openPlayground()
    const identity = identityOf(ground.path('workspace')) ?? ''
    renameSync(ground.path('workspace'), ground.path('moved'))
    mkdirSync(ground.path('workspace'))
    expect(await start(ground, identity)).toMatchObject({ reason: 'spawnFailed', spawnError: { subject: 'cwd' } })
    expect(readdirSync(ground.path('workspace'))).toEqual([])
    rmSync(ground.path('workspace'), { recursive: true })
    symlinkSync(ground.path('moved'), ground.path('workspace'))
    expect(await start(ground, identity)).toMatchObject({ reason: 'spawnFailed' })
    expect(existsSync(ground.path('moved/made'))).toBe(false)
  })
})
