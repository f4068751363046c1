import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { nodeFiles } from '@parley/journal'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createProjects, type Project, trustedFiles } from '../../src/trust/project.ts'
import { skillFiles } from '../../src/trust/project-skills-report.ts'
import { shownHash, trustNotice, trustReport } from '../../src/trust/trust-report.ts'
import { createTrustStore } from '../../src/trust/trust-store.ts'

let root = ''
let repo = ''
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'parley-project-skills-')))
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

function found(): Project {
  const project = projects().of(repo)
  if (project === null) throw new Error('there is no project')
  return project
}

function decide(verdict: 'trusted' | 'declined'): void {
  const project = found()
  createTrustStore(join(root, 'home'), nodeFiles).write({
    root: project.root,
    hash: project.hash() ?? '',
    verdict,
    decidedAt: '2026-01-01T00:00:00.000Z',
    outsideSandbox: false,
    files: [...project.files],
    programs: [],
    brought: [...skillFiles(project)],
  })
}

const report = () => trustReport(found(), { own: {}, sandboxed: true })
const trusted = () => {
  const project = found()
  return project.skills.filter((part) => trustedFiles(project, part) !== null).map(({ name }) => name)
}
const skill = (name: string) => `---\nname: ${name}\ndescription: Does it.\n---\nDo it.\n`

describe('skills and commands of a project', () => {
  it('are a project of their own, listed by kind and without what is no skill', () => {
    write('.claude/skills/deploy/SKILL.md', skill('deploy'))
    write('.claude/skills/empty/notes.md', 'no skill')
    write('.parley/prompts/check.md', 'Check it.')
    write('.parley/prompts/notes.txt', 'no command')
    expect(found().skills.map(({ kind, name, path }) => [kind, name, path])).toEqual([
      ['skill', 'deploy', '.claude/skills/deploy'],
      ['command', 'check', '.parley/prompts/check.md'],
    ])
    expect(report()).toMatchObject({
      state: 'untrusted',
      changes: [
        expect.stringMatching(/^the skill deploy from .*: Does it\.$/),
        expect.stringMatching(/^the command check from /),
      ],
    })
    expect(trustNotice(found())).toMatch(/^This project brings 1 skill and 1 command\./)
    expect(trusted()).toEqual([])
  })

  it('take effect one by one while all their files are as they were trusted', () => {
    write('.agents/skills/a/SKILL.md', skill('a'))
    write('.agents/skills/a/scripts/run.sh', 'echo 1')
    write('.agents/skills/b/SKILL.md', skill('b'))
    decide('trusted')
    expect(trusted()).toEqual(['a', 'b'])
    expect(report().state).toBe('trusted')
    expect(trustNotice(found())).toBeNull()
    write('.agents/skills/a/scripts/run.sh', 'echo 2')
    expect(trusted()).toEqual(['b'])
    expect(report()).toMatchObject({
      state: 'changed',
      diff: expect.stringContaining('.agents/skills/a/scripts/run.sh'),
    })
    expect(trustNotice(found())).toContain('what is new or changed has no effect')
    write('.agents/skills/a/scripts/run.sh', 'echo 1')
    write('.agents/skills/b/more.md', 'more')
    expect(trusted()).toEqual(['a'])
  })

  it('that change leave the configuration in effect', () => {
    write('.parley/config.toml', 'model = "m"\n')
    write('.agents/skills/a/SKILL.md', skill('a'))
    decide('trusted')
    write('.agents/skills/c/SKILL.md', skill('c'))
    expect(found().state).toBe('trusted')
    expect(report().state).toBe('changed')
    expect(trusted()).toEqual(['a'])
  })

  it('have no effect without a yes, and a no is not asked about again', () => {
    write('.agents/skills/a/SKILL.md', skill('a'))
    decide('declined')
    expect(trusted()).toEqual([])
    expect(trustNotice(found())).toBeNull()
  })

  it('are in the hash that is decided about', () => {
    write('.agents/skills/a/SKILL.md', skill('a'))
    const before = shownHash(found(), true)
    write('.agents/skills/a/SKILL.md', `${skill('a')}more`)
    expect(shownHash(found(), true)).not.toBe(before)
  })

  it('with a link in or out of them are named and never trusted', () => {
    writeFileSync(join(root, 'secret'), 'secret')
    write('.agents/skills/a/SKILL.md', skill('a'))
    symlinkSync(join(root, 'secret'), join(repo, '.agents/skills/a/notes.md'))
    mkdirSync(join(root, 'far'))
    writeFileSync(join(root, 'far', 'SKILL.md'), skill('far'))
    symlinkSync(join(root, 'far'), join(repo, '.agents/skills/far'))
    decide('trusted')
    expect(trusted()).toEqual([])
    expect(report().ignored).toEqual([
      'the skill a has no effect: notes.md is a link out of the folder of the skill; put the file itself there.',
      'the skill far has no effect: it is a link out of the project.',
    ])
    expect(trustNotice(found())).toBeNull()
  })

  it('count once where one folder is a link to the other', () => {
    write('.agents/skills/a/SKILL.md', skill('a'))
    mkdirSync(join(repo, '.claude'))
    symlinkSync('../.agents/skills', join(repo, '.claude/skills'))
    expect(found().skills.map(({ path }) => path)).toEqual(['.agents/skills/a'])
  })
})
