import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { gitFoldersInTmp } from '../../../src/git/folders-read-by-git.ts'
import { prepareBubblewrap } from '../../../src/sandbox/bubblewrap/prepare-bubblewrap.ts'
import { openPlayground, type Playground } from '../playground.ts'
import { runLimited } from '../run-limited.ts'
import { hasBubblewrap, machine } from './bubblewrap-here.ts'

const hasGit = spawnSync('git', ['--version']).status === 0

interface Shape {
  /** Arguments of git, one call each, after which the root is a work tree; `{top}` is the folder around everything. */
  readonly make: readonly string[]
  readonly root: string
  /** Folders outside the root that git reads for it. */
  readonly read: readonly string[]
}

/** Each reads, from its root, a repository with one commit at `first`. */
const shapes: Readonly<Record<string, Shape>> = {
  'a further work tree': {
    make: ['-C {top}/first worktree add -q {top}/tree -b other'],
    root: 'tree',
    read: ['first/.git/worktrees/tree', 'first/.git'],
  },
  'a work tree with its git directory elsewhere': {
    make: ['clone -q --separate-git-dir {top}/apart {top}/first {top}/tree'],
    root: 'tree',
    read: ['apart'],
  },
  'a submodule': {
    make: [
      'init -q {top}/above',
      '-C {top}/above -c protocol.file.allow=always submodule --quiet add {top}/first part',
    ],
    root: 'above/part',
    read: ['above/.git/modules/part'],
  },
  'a clone that borrows objects': {
    make: ['clone -q --shared {top}/first {top}/tree'],
    root: 'tree',
    read: ['first/.git/objects'],
  },
  'a clone of a clone that borrows objects': {
    make: ['clone -q --bare --shared {top}/first {top}/middle', 'clone -q --shared {top}/middle {top}/tree'],
    root: 'tree',
    read: ['middle/objects', 'first/.git/objects'],
  },
}

function openShape({ make }: Shape): Playground {
  const ground = openPlayground('/tmp')
  const env = { PATH: '/usr/bin:/bin', HOME: ground.path('home') }
  const git = (line: string) => {
    const args = line.replaceAll('{top}', ground.path('.')).split(' ')
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { env })
  }
  git('init -q -b main {top}/first')
  ground.write({ 'first/file': 'text\n' })
  git('-C {top}/first add file')
  git('-C {top}/first commit -q -m one')
  for (const line of make) git(line)
  return ground
}

describe.skipIf(!hasGit)('git folders below /tmp that a sandbox shows', () => {
  it.each(Object.entries(shapes))('are those of %s', (_, shape) => {
    using ground = openShape(shape)
    const limits = ground.limits({ writableRoots: [ground.path(shape.root)] })
    expect(gitFoldersInTmp(limits)).toEqual(shape.read.map(ground.path))
    expect(gitFoldersInTmp({ ...limits, masked: [ground.path('.')] })).toEqual([])
  })

  it.each([
    ['a folder that is no git directory', 'gitdir: {out}/plain\n'],
    ['a folder of secrets', 'gitdir: {home}/.ssh\n'],
    ['/tmp itself', 'gitdir: /tmp\n'],
    ['no folder', 'gitdir: {out}/missing\n'],
    ['more than 1 MiB', `gitdir: ${'x'.repeat(1024 * 1024)}`],
  ])('are none where a file named .git leads to %s', (_, text) => {
    using ground = openPlayground('/tmp')
    mkdirSync(ground.path('out/plain'))
    rmSync(ground.path('workspace/.git'), { recursive: true })
    const named = text.replace('{out}', ground.path('out')).replace('{home}', ground.path('home'))
    writeFileSync(ground.path('workspace/.git'), named)
    expect(gitFoldersInTmp(ground.limits())).toEqual([])
  })

  it('are none that an alternate names without packs, as /tmp and a home', () => {
    using ground = openPlayground('/tmp')
    ground.write({
      'workspace/.git/objects/info/alternates': `# note\n/tmp\n${ground.path('home')}\n../../..\n`,
      'workspace/.git/HEAD': 'ref: refs/heads/main\n',
    })
    expect(gitFoldersInTmp(ground.limits())).toEqual([])
  })
})

describe.skipIf(!hasGit || !hasBubblewrap)('git in the sandbox, below /tmp', () => {
  const everyOwner = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*' }

  it.each(Object.entries(shapes))('reads the repository of %s and changes nothing in it', async (_, shape) => {
    using ground = openShape(shape)
    const root = ground.path(shape.root)
    const sandbox = await prepareBubblewrap(ground.limits({ writableRoots: [root] }), machine(ground.path('home')))
    const writes = shape.read.map((path) => `touch ${ground.path(path)}/x 2>/dev/null && echo wrote`)
    const script = [
      'git log --format=%s',
      'echo more >> file',
      'git status --short',
      ...writes,
      `ls ${ground.path('.')}`,
    ]
    try {
      const { lines } = await runLimited(sandbox, script.join('\n'), { cwd: root, env: everyOwner })
      expect(lines.slice(0, 2)).toEqual(['one', ' M file'])
      expect(lines).not.toContain('wrote')
      expect(lines).not.toContain('home')
    } finally {
      sandbox.release?.()
    }
  })
})
