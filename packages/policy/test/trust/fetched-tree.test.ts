import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { nodeFiles } from '@parley/journal'
import { diskFiles, type EnvironmentFiles, EnvironmentUnreachableError } from '@parley/workspace'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readRemoteTree } from '../../src/trust/fetched-tree.ts'
import { createProjects, type Project, trustedFiles } from '../../src/trust/project.ts'
import { shownHash, trustReport } from '../../src/trust/trust-report.ts'
import { createTrustStore } from '../../src/trust/trust-store.ts'
import { readTrusted } from '../../src/trust/trusted-copy.ts'

let root = ''
let repo = ''
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'parley-fetched-')))
  repo = join(root, 'repo')
  mkdirSync(join(root, 'home'), { mode: 0o700 })
  write('.git/HEAD', 'ref: refs/heads/main\n')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(path: string, text: string): void {
  const file = join(repo, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

const projects = () => createProjects({ home: join(root, 'home'), env: {}, files: nodeFiles })
const there = (files: EnvironmentFiles = diskFiles) =>
  projects().remote({
    environment: 'box',
    machine: null,
    reachedBy: '',
    root: repo,
    searchPath: '',
    userHome: join(root, 'home'),
    files,
  })

/** A project with all that trust can be bound to, and all that it cannot. */
function bringAll(): void {
  write(
    '.parley/config.toml',
    `[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = "sh .parley/hooks/a.sh"\n[mcp_servers.s]\ncommand = "node"\nargs = ["tools", "missing", "out", "-m", "pkg.mod"]\n`,
  )
  write('.parley/hooks/a.sh', 'exit 0')
  write('.parley/hooks/deep/b.sh', 'exit 1')
  write('tools/package.json', '{"main":"lib/start"}')
  write('tools/lib/start.js', 'run()')
  write('missing.js', 'run()')
  write('pkg/__init__.py', '')
  write('pkg/mod.py', 'run()')
  symlinkSync('/etc/hostname', join(repo, 'out'))
  write('.agents/skills/a/SKILL.md', '---\nname: a\ndescription: Does it.\n---\nDo it.\n')
  write('.agents/skills/a/data/x.txt', 'x')
  write('.agents/skills/linked/SKILL.md', '---\nname: linked\ndescription: Does it.\n---\nDo it.\n')
  symlinkSync('../a/data', join(repo, '.agents/skills/linked/more'))
  symlinkSync('/etc', join(repo, '.agents/skills/etc'))
  write('.parley/prompts/c.md', 'Say c.')
}

describe('a project of another machine', () => {
  it('is bound to the same files with the same content as one of this machine', async () => {
    bringAll()
    const [far, near] = [await there(), projects().of(repo)]
    if (far === null || near === null) throw new Error('there is no project')
    expect(far.programs()).toEqual(near.programs())
    expect(far.skills.map((part) => [part.kind, part.path, part.look(), part.problem()])).toEqual(
      near.skills.map((part) => [part.kind, part.path, part.look(), part.problem()]),
    )
    expect(readTrusted(far)).toEqual(readTrusted(near))
    const [farReport, nearReport] = [far, near].map((one) => trustReport(one, { own: {}, sandboxed: true }))
    expect(farReport).toEqual({ ...nearReport, root: `box:${repo}`, hash: shownHash(far, true) })
    expect(farReport?.hash).not.toBe(nearReport?.hash)
  })

  it('is not trusted by a yes to the same content on this machine or in another environment', async () => {
    bringAll()
    const far = await there()
    if (far === null) throw new Error('there is no project')
    const { files } = far
    const entry = { hash: far.hash() ?? '', verdict: 'trusted', decidedAt: '', outsideSandbox: false } as const
    for (const place of [repo, `other:${repo}`])
      createTrustStore(join(root, 'home'), nodeFiles).write({
        ...entry,
        root: place,
        files: [...files],
        programs: [...far.programs().files],
      })
    expect((await there())?.state).toBe('untrusted')
    createTrustStore(join(root, 'home'), nodeFiles).write({
      ...entry,
      root: far.place,
      files: [...files],
      programs: [...far.programs().files],
    })
    expect((await there())?.state).toBe('trusted')
  })

  it('is trusted where servers share decisions by what they share, under the name of its machine', async () => {
    bringAll()
    const kept = new Map<string, string>()
    const shared = {
      read: async (name: string) => kept.get(name) ?? null,
      write: async (name: string, text: string, how: 'replace' | 'first') => {
        if (how === 'replace' || !kept.has(name)) kept.set(name, text)
      },
    }
    const sharing = createProjects({ home: join(root, 'home'), env: {}, files: nodeFiles, shared })
    const at = (machine: string | null) => {
      const place = {
        environment: 'box',
        machine,
        reachedBy: '',
        root: repo,
        searchPath: '',
        userHome: '/',
        files: diskFiles,
      }
      return sharing.remote(place)
    }
    const far = await at('ada/laptop')
    if (far === null) throw new Error('there is no project')
    const content = { hash: far.hash() ?? '', files: [...far.files], programs: [...far.programs().files] }
    const entry = { ...content, root: far.place, decidedAt: '', outsideSandbox: false, verdict: 'trusted' } as const
    createTrustStore(join(root, 'home'), nodeFiles).write(entry)
    expect((await at('ada/laptop'))?.state).toBe('untrusted')
    await sharing.decide(far, entry)
    const states = ['ada/laptop', 'bo/laptop'].map(async (machine) => (await at(machine))?.state)
    expect(await Promise.all(states)).toEqual(['trusted', 'untrusted'])
    await sharing.decide(far, { ...entry, verdict: 'declined' })
    expect((await at('ada/laptop'))?.state).toBe('declined')
    const [[name = ''] = []] = kept
    kept.set(name, JSON.stringify({ ...entry, root: 'box:/other' }))
    expect((await at('ada/laptop'))?.entry).toBe(null)
    // What was decided in this home, without the others, about a machine that has not connected by itself.
    expect((await at(null))?.state).toBe('trusted')
    const own = createTrustStore(join(root, 'home'), nodeFiles)
    const decided = async (decidedAt: string, verdict: 'trusted' | 'declined') => {
      own.write({ ...entry, verdict, decidedAt })
      return (await at(null))?.state
    }
    expect(await decided('2026-01-02', 'declined')).toBe('declined')
    expect(await decided('2026-01-03', 'trusted')).toBe('declined')
    await sharing.decide(far, { ...entry, decidedAt: '2026-01-04' })
    await sharing.decide({ ...far, machine: null }, { ...entry, decidedAt: '2026-01-04' })
    expect(await decided('2026-01-03', 'declined')).toBe('trusted')
  })

  it('is not decided about where the decision could not be read again', async () => {
    const programs = Array.from({ length: 20_000 }, (_, nth) => ({ path: `f${nth}`, content: 'x'.repeat(100) }))
    const entry = { root: '/', hash: '', verdict: 'trusted', decidedAt: '', outsideSandbox: false } as const
    const shared = { read: async () => null, write: () => Promise.reject(new Error('it was written')) }
    for (const project of [
      { environment: null, machine: null },
      { environment: 'box', machine: null },
    ]) {
      const deciding = createProjects({ home: join(root, 'home'), env: {}, files: nodeFiles, shared })
      await expect(deciding.decide(project, { ...entry, files: [], programs })).rejects.toThrow(/2048 KiB/)
    }
  })

  it('stays as it was fetched, whatever is written later', async () => {
    bringAll()
    const far = await there()
    if (far === null) throw new Error('there is no project')
    const before = readTrusted(far)
    write('.parley/hooks/a.sh', 'rm -rf /')
    expect(readTrusted(far)).toEqual(before)
    expect(far.skills.every((part) => trustedFiles(far, part) === null)).toBe(true)
  })

  it('is none in a home, and in a folder that brings nothing', async () => {
    expect(await there()).toBe(null)
    bringAll()
    const files = {
      environment: 'box',
      machine: null,
      reachedBy: '',
      root: repo,
      searchPath: '',
      userHome: repo,
      files: diskFiles,
    }
    expect(await projects().remote(files)).toBe(null)
  })

  it('is not read while its machine is away', async () => {
    const away = new EnvironmentUnreachableError('it is away')
    await expect(there({ ...diskFiles, look: () => Promise.reject(away) })).rejects.toBe(away)
  })
})

describe('files of another machine that were read', () => {
  /** Readings of one server, which count the files that they open. */
  function readings() {
    const server = projects()
    const states = new Map<string, string>()
    let reads = 0
    // What nobody holds is forgotten, at a time that nobody chooses.
    const held: Project[] = []
    const files: EnvironmentFiles = {
      ...diskFiles,
      async look(path) {
        const state = states.get(path) ?? 'first'
        const { state: _, ...found } = await diskFiles.look(path)
        return { ...found, ...(state === '' ? {} : { state }) }
      },
      open(path) {
        reads += 1
        return diskFiles.open(path)
      },
    }
    return {
      states,
      async read(reachedBy = '') {
        reads = 0
        const place = { environment: 'box', machine: null, reachedBy, root: repo, searchPath: '', userHome: '/', files }
        const far = await server.remote(place)
        if (far === null) throw new Error('there is no project')
        held.push(far)
        const chunks: Buffer[] = []
        far.tree.visit({ root: repo, path: '.agents/skills/a/SKILL.md', maxBytes: 1000 }, (chunk) => chunks.push(chunk))
        return { reads, skill: chunks[0], hash: shownHash(far, true) }
      },
    }
  }

  it('are read again, and kept once more, only where they have another state', async () => {
    bringAll()
    const { states, read } = readings()
    const first = await read()
    expect(first.reads).toBeGreaterThan(5)
    const second = await read()
    expect([second.reads, second.skill === first.skill, second.hash]).toEqual([0, true, first.hash])
    write('.agents/skills/a/SKILL.md', 'Do evil.')
    write('.parley/hooks/a.sh', 'exit 7')
    states.set(join(repo, '.agents/skills/a/SKILL.md'), 'second')
    states.set(join(repo, '.parley/hooks/a.sh'), 'second')
    const third = await read()
    expect([third.reads, third.skill?.toString(), third.hash === first.hash]).toEqual([2, 'Do evil.', false])
    expect(first.skill?.toString()).toContain('Do it.')
  })

  it('are read each time from a machine that does not say their state, and from one that is reached otherwise', async () => {
    bringAll()
    const { states, read } = readings()
    const first = await read()
    const other = await read('elsewhere')
    // What is the same by its content is kept once.
    expect([other.reads, other.skill === first.skill]).toEqual([first.reads, true])
    const skill = join(repo, '.agents/skills/a/SKILL.md')
    for (const times of [1, 2]) {
      states.set(skill, '')
      expect([times, (await read()).reads]).toEqual([times, 1])
    }
  })
})

describe('a search path of another machine', () => {
  const folders = (count: number) => Array.from({ length: count }, (_, nth) => `/nowhere/${nth}`)
  const withPath = (searchPath: string) => {
    write('.parley/config.toml', '[mcp_servers.s]\ncommand = "no-such-program"\n')
    return projects().remote({
      environment: 'box',
      machine: null,
      reachedBy: '',
      root: repo,
      searchPath,
      userHome: root,
      files: diskFiles,
    })
  }

  it('may have more places than a reading has rounds', async () => {
    const [far, near] = [await withPath(folders(200).join(':')), projects().of(repo)]
    expect(far?.programs()).toEqual(near?.programs())
  })

  it('with more places than are asked for is a problem of the project, which then cannot be trusted', async () => {
    const far = await withPath(folders(6000).join(':'))
    expect(far?.programs().problem).toMatch(/cannot be looked at: it was not fetched/)
    expect(far?.hash()).toBe(null)
  })
})

describe('files that are fetched', () => {
  it('are not read beyond what a project may have, nor after they were fetched', async () => {
    write('big', 'x'.repeat(100))
    const tree = await readRemoteTree(diskFiles, (known) => {
      known.visit({ root: repo, path: 'big', maxBytes: 10 }, () => undefined)
      return known
    })
    expect(tree.visit({ root: repo, path: 'big', maxBytes: 10 }, () => undefined)).toMatch(/^it has more than/)
    expect(tree.visit({ root: repo, path: '.git/HEAD', maxBytes: 100 }, () => undefined)).toMatch(/not fetched/)
    expect(() => tree.look(join(repo, '.git'))).toThrow('not fetched')
  })
})
