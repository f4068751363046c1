import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { nodeFiles } from '@parley/journal'
import { createProjects, hashOfText, type Project } from '@parley/policy'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findParts } from '../../src/skills/find-parts.ts'

let home = ''
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'parley-parts-')))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

function write(path: string, text: string): string {
  const file = join(home, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}

function found() {
  const ports = { home: join(home, '.parley'), env: { HOME: home }, projects: { of: () => null } }
  return findParts(null, ports).map(({ name, problem, text }) => ({
    name,
    problem: problem === null ? null : `${problem.code}: ${problem.message}`,
    remarks: text?.remarks ?? [],
  }))
}

const head = (name: string) => `---\nname: ${name}\ndescription: Does it.\n---\n`

describe('skills and commands of the user', () => {
  it('are found in all of their folders, the first of a name is used', () => {
    const first = write('.parley/skills/a/SKILL.md', `${head('a')}one`)
    write('.agents/skills/a/SKILL.md', `${head('a')}two`)
    write('.claude/skills/b/SKILL.md', `${head('b')}three`)
    write('.parley/prompts/Fix_it.md', 'Fix it.')
    write('.claude/commands/b.md', 'Another b.')
    expect(found()).toEqual([
      { name: 'a', problem: null, remarks: [] },
      { name: 'a', problem: `sameName: ${first} has the same name and is used`, remarks: [] },
      { name: 'b', problem: null, remarks: [] },
      { name: 'Fix_it', problem: null, remarks: [] },
      { name: 'b', problem: expect.stringContaining('sameName: '), remarks: [] },
    ])
  })

  it.each([
    ['without an end of its front matter', '---\nname: a\n', 'its front matter begins with --- and has no end'],
    ['without a description', '---\nname: a\n---\nDo it.', 'no description'],
    ['without instructions', head('a'), 'it has no instructions'],
    ['with a name that is none', `${head('A b')}Do it.`, 'its name is not made of a-z'],
    ['that is too long', `${head('a')}${'x'.repeat(65 * 1024)}`, 'it has more than 64 KiB'],
  ])('%s are named', (_, text, problem) => {
    write('.agents/skills/a/SKILL.md', text)
    expect(found()[0]?.problem ?? null).toEqual(problem === null ? null : expect.stringContaining(problem))
  })

  it('with a link out of the folder, or a pipe, are named and not read', () => {
    write('.agents/skills/a/SKILL.md', `${head('a')}Do it.`)
    symlinkSync('/etc/hostname', join(home, '.agents/skills/a/name'))
    write('.agents/skills/b/notes.md', 'b')
    execFileSync('mkfifo', [join(home, '.agents/skills/b/SKILL.md')])
    expect(found().map(({ problem }) => problem)).toEqual([
      'broken: name is a link out of the folder of the skill; put the file itself there',
      'broken: SKILL.md is no plain file',
    ])
  })

  it('may be links as a whole, and depart from the form a little', () => {
    write('dotfiles/deploy/SKILL.md', `---\nname: ship\ndescription: ${'x'.repeat(2000)}\n---\nDo it.`)
    mkdirSync(join(home, '.claude/skills'), { recursive: true })
    symlinkSync(join(home, 'dotfiles/deploy'), join(home, '.claude/skills/deploy'))
    expect(found()).toEqual([
      {
        name: 'ship',
        problem: null,
        remarks: ['its name is not that of its folder, deploy', 'its description is cut after 1024 bytes'],
      },
    ])
  })
})

const skillPath = '.agents/skills/a/SKILL.md'

/** A project with one skill. */
function projectWithSkill(): Project {
  mkdirSync(join(home, 'repo/.git'), { recursive: true })
  write(`repo/${skillPath}`, `${head('a')}Do it.`)
  const project = createProjects({ home: join(home, '.parley'), env: {}, files: nodeFiles }).of(join(home, 'repo'))
  if (project === null) throw new Error('there is no project')
  return project
}

const partsOf = (project: Project) => findParts(project, { home: join(home, '.parley'), env: {} })

describe('skills of a project that is trusted', () => {
  it('are not used where what is read is not what was hashed a moment before', () => {
    const project = projectWithSkill()
    const files = [{ path: skillPath, content: hashOfText(`${head('a')}Do it.`) }]
    const entry = { root: project.root, hash: '', verdict: 'trusted' as const, decidedAt: '', outsideSandbox: false }
    const trusted = {
      ...project,
      entry: { ...entry, files: [], programs: [], brought: files },
      skills: project.skills.map((part) => ({ ...part, look: () => ({ files }) })),
    }
    expect(partsOf(trusted)).toMatchObject([{ name: 'a', problem: null, text: { body: 'Do it.' } }])
    write(`repo/${skillPath}`, `${head('a')}Do evil.`)
    expect(partsOf(trusted)).toMatchObject([{ problem: { message: 'SKILL.md: it has just changed' }, text: null }])
  })
})

describe('skills of a project that nobody trusts', () => {
  it('are named without a look into their files, which may be of any size', () => {
    const project = projectWithSkill()
    const look = () => {
      throw new Error('its files are read')
    }
    const unread = { ...project, skills: project.skills.map((part) => ({ ...part, look })) }
    expect(partsOf(unread).map(({ name, problem }) => [name, problem?.code])).toEqual([['a', 'untrusted']])
  })
})
