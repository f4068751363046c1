import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { autoRunNote } from '../../src/paths/auto-run-names.ts'
import { autoRunFiles } from '../../src/paths/auto-run-table.ts'
import { openPathStandings } from '../../src/paths/path-standing.ts'
import { prepareBubblewrap } from '../../src/sandbox/bubblewrap/prepare-bubblewrap.ts'
import { hasBubblewrap, machine, whyNot } from '../sandbox/bubblewrap/bubblewrap-here.ts'
import { openPlayground, type Playground } from '../sandbox/playground.ts'
import { runLimited } from '../sandbox/run-limited.ts'

/** Every name of the table with a file in or at it; a wildcard stands for `x`. */
const named = autoRunFiles.flatMap(({ names, commands, patches }) =>
  names.map((name) => ({ name: name.replaceAll('*', 'x'), commands, patches })),
)
const asked = named.filter(({ patches }) => 'ask' in patches).map(({ name, ...row }) => [name, row] as const)
const free = named.filter(({ commands }) => commands === 'free').map(({ name }) => [name] as const)
const closed = asked.filter(([, { commands }]) => commands === 'closed').map(([name]) => name)

/** Names of ordinary files that look like those of the table. */
const ordinary = [
  ...['hgrc', 'claude/settings.json', '.claudeignore', 'cursor.json', 'opencode.md', 'my-lefthook.yml', 'mise.md'],
  ...['docs/agents.txt', 'AGENTS.md.txt', 'x.code-workspaces', 'mise/tasks.md', '.github/CODEOWNERS', 'src/index.ts'],
]

describe('a patch', () => {
  const guards = async (ground: Playground) =>
    (await openPathStandings([ground.path('workspace')], { home: ground.path('home') })).guardOf

  it.each(asked)('of %s asks, at the top and below, as a file and as a folder', async (name, { patches }) => {
    using ground = openPlayground()
    const guardOf = await guards(ground)
    const paths = [name, `packages/a/${name}`, `${name}/deep/file`, name.toUpperCase()]
    const kinds = paths.map((path) => guardOf(ground.path(`workspace/${path}`)))
    expect(kinds).toEqual(paths.map(() => 'ask' in patches && patches.ask))
  })

  it.each([...free, ...ordinary.map((name) => [name] as const)])('of %s does not', async (name) => {
    using ground = openPlayground()
    const guardOf = await guards(ground)
    expect([name, `packages/a/${name}`].map((path) => guardOf(ground.path(`workspace/${path}`)))).toEqual([null, null])
  })

  it.each(free)('of %s that asks for another reason has a note', (name) => {
    expect([name, `a/${name}`].map((path) => autoRunNote(path) === null)).toEqual([false, false])
  })

  it('in a workspace that lies in a folder of such a name does not ask for that', async () => {
    using ground = openPlayground()
    const root = ground.path('workspace/.claude/worktrees/one')
    mkdirSync(root, { recursive: true })
    const { guardOf } = await openPathStandings([root], { home: ground.path('home') })
    expect([`${root}/src/a.ts`, `${root}/AGENTS.md`].map(guardOf)).toEqual([null, 'agent'])
  })
})

/** Appends a line to each of these files, which are made with their folders. */
function writing(names: readonly string[]): string {
  return names.map((name) => `mkdir -p '${dirname(name)}'; echo evil >> '${name}'`).join('\n')
}

async function runIn(ground: Playground, script: string) {
  const sandbox = await prepareBubblewrap(ground.limits({ masked: [] }), machine(ground.path('home')))
  await runLimited(sandbox, `{\n${script}\n} 2>/dev/null; true`, { cwd: ground.path('workspace') })
  return sandbox.release?.() ?? []
}

describe.skipIf(!hasBubblewrap)(`a command in bubblewrap${whyNot}`, { timeout: 30_000 }, () => {
  it('that makes what is started later finds it moved aside, and each is said', async () => {
    using ground = openPlayground()
    const found = await runIn(ground, writing(closed))
    expect(closed.filter((name) => existsSync(ground.path(`workspace/${name}`)))).toEqual([])
    const moved = found.map(({ moved }) => moved?.path)
    expect(moved.toSorted()).toEqual(closed.map((name) => ground.path(`workspace/${name}`)).toSorted())
    expect(found.map(({ moved }) => existsSync(moved?.aside ?? '')).every(Boolean)).toBe(true)
  })

  it('cannot change what is there, and nothing is said of it', async () => {
    using ground = openPlayground()
    for (const name of closed) ground.write({ [`workspace/${name}`]: 'as it was\n' })
    expect(await runIn(ground, writing(closed))).toEqual([])
    const texts = closed.map((name) => readFileSync(ground.path(`workspace/${name}`), 'utf8'))
    expect(texts).toEqual(closed.map(() => 'as it was\n'))
  })

  it('writes what lies in such a folder beside settings by no other way', async () => {
    using ground = openPlayground()
    ground.write({ 'workspace/.hg/hgrc': '[paths]\n' })
    await runIn(ground, 'mv .hg x; cp -r .hg y; rm -rf .hg; ln -sfn y .hg; echo evil >> .hg/hgrc')
    expect(readFileSync(ground.path('workspace/.hg/hgrc'), 'utf8')).toBe('[paths]\n')
  })

  it('writes ordinary files and build files beside them, and nothing is said or left over', async () => {
    using ground = openPlayground()
    const names = [...ordinary, ...free.map(([name]) => name)]
    expect(await runIn(ground, writing(names))).toEqual([])
    const texts = names.map((name) => readFileSync(join(ground.path('workspace'), name), 'utf8'))
    expect(texts).toEqual(names.map(() => 'evil\n'))
    expect(readdirSync(ground.path('workspace')).filter((name) => name.includes('aside'))).toEqual([])
  })
})
