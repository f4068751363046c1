import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { gatherContext } from '@parley/engine/src/context/session-context.ts'
import type { Conversation } from '@parley/engine/src/conversation/conversation.ts'
import { initialState } from '@parley/protocol'
import { tempDirectory } from '@parley/testkit'
import type { Environment } from '@parley/workspace'
import { describe, expect, it } from 'vitest'
import { testLocalPlace } from '../../environments/test-local-place.ts'
import { testPlace } from '../support/test-server.ts'

function write(path: string, text: string | Buffer): void {
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, text)
}

function contextOf(root: string, cwd: string, changed: Partial<Environment> = {}) {
  const { core, window } = initialState('c')
  const state = { core: { ...core, meta: { ...core.meta, cwd } }, window }
  const conversation = { state } as unknown as Conversation
  return gatherContext(conversation, {
    home: join(root, 'home'),
    environment: { ...testLocalPlace(root), ...changed },
    skills: () => [],
    nowMs: new Date(2025, 0, 2).getTime(),
    toolShape: 'edit',
  })
}

describe('the context before the messages', () => {
  it('holds AGENTS.md of home and of each folder from the repository down, and none from above', async () => {
    await using root = await tempDirectory()
    const at = (...names: string[]) => join(root.path, ...names)
    write(at('AGENTS.md'), 'above the repository')
    write(at('home/AGENTS.md'), 'home')
    write(at('repo/.git/HEAD'), 'ref: refs/heads/feature/x\n')
    write(at('repo/AGENTS.md'), 'repo')
    write(at('repo/a/AGENTS.md'), '   \n')
    write(at('repo/a/b/AGENTS.md'), 'deep')
    const { instructions, instructionFiles, sessionContext } = await contextOf(root.path, at('repo/a/b'))
    expect(instructionFiles).toEqual([at('home/AGENTS.md'), at('repo/AGENTS.md'), at('repo/a/b/AGENTS.md')])
    expect(instructions).not.toContain('above the repository')
    expect(sessionContext).toContain('Git branch: feature/x')
    expect(sessionContext).toContain('Date: 2025-01-02')
  })

  it('holds CLAUDE.md of a folder without AGENTS.md, in the same way, and no other', async () => {
    await using root = await tempDirectory()
    const at = (...names: string[]) => join(root.path, ...names)
    write(at('secret.txt'), 'outside of the repository')
    write(at('repo/.git/HEAD'), 'ref: refs/heads/main\n')
    write(at('repo/CLAUDE.md'), 'from claude')
    write(at('repo/a/AGENTS.md'), 'from agents')
    write(at('repo/a/CLAUDE.md'), 'not read')
    write(at('repo/a/b/AGENTS.md'), '')
    write(at('repo/a/b/CLAUDE.md'), 'not read either')
    mkdirSync(at('repo/a/b/c'))
    symlinkSync(at('secret.txt'), at('repo/a/b/c/CLAUDE.md'))
    const { instructions, instructionFiles } = await contextOf(root.path, at('repo/a/b/c'))
    expect(instructionFiles).toEqual([at('repo/CLAUDE.md'), at('repo/a/AGENTS.md')])
    expect(instructions).toContain('from claude')
    expect(instructions).not.toMatch(/not read|outside of/)
  })

  it('holds no place of secrets in the repository, unless the conversation works in one', async () => {
    await using root = await tempDirectory()
    const at = (...names: string[]) => join(root.path, ...names)
    write(at('repo/.git/HEAD'), 'ref: refs/heads/main\n')
    write(at('repo/keys/prod.pem'), 'words of a key')
    symlinkSync(at('repo/keys/prod.pem'), at('repo/AGENTS.md'))
    const secrets = () => Promise.resolve([at('repo/keys')])
    expect((await contextOf(root.path, at('repo'), { secrets })).instructions).not.toContain('words of a key')
    write(at('repo/keys/.git/HEAD'), 'ref: refs/heads/main\n')
    write(at('repo/keys/AGENTS.md'), 'how to name keys')
    expect((await contextOf(root.path, at('repo/keys'), { secrets })).instructions).toContain('how to name keys')
  })

  it('holds nothing of a file outside that a link leads to once the link was looked at', async () => {
    await using root = await tempDirectory()
    const at = (...names: string[]) => join(root.path, ...names)
    write(at('secret.txt'), 'outside of the repository')
    write(at('repo/.git/HEAD'), 'ref: refs/heads/main\n')
    write(at('repo/AGENTS.md'), 'as it was')
    const { files } = testLocalPlace(root.path)
    const path = at('repo/AGENTS.md')
    const realPath = async (asked: string) => {
      const real = await files.realPath(asked)
      if (asked === path) {
        rmSync(path)
        symlinkSync(at('secret.txt'), path)
      }
      return real
    }
    const { instructions } = await contextOf(root.path, at('repo'), { files: { ...files, realPath } })
    expect(instructions).not.toContain('outside of the repository')
  })

  it('is of the innermost of several repositories around the working folder', async () => {
    await using root = await tempDirectory()
    write(join(root.path, 'outer/.git/HEAD'), 'ref: refs/heads/outer\n')
    write(join(root.path, 'outer/inner/.git/HEAD'), 'ref: refs/heads/inner\n')
    write(join(root.path, 'outer/inner/AGENTS.md'), 'inner')
    const { instructionFiles, sessionContext } = await contextOf(root.path, join(root.path, 'outer/inner/a/b'))
    expect(instructionFiles).toEqual([join(root.path, 'outer/inner/AGENTS.md')])
    expect(sessionContext).toContain('Git branch: inner')
  })

  it('holds AGENTS.md of the working folder only when there is no repository', async () => {
    await using root = await tempDirectory()
    write(join(root.path, 'AGENTS.md'), 'above')
    write(join(root.path, 'work/AGENTS.md'), 'here')
    const { instructionFiles, sessionContext } = await contextOf(root.path, join(root.path, 'work'))
    expect(instructionFiles).toEqual([join(root.path, 'work/AGENTS.md')])
    expect(sessionContext).toContain('Not a git repository.')
  })

  it.each([
    ['a worktree', (root: string) => join(root, 'main/.git/worktrees/w')],
    ['a submodule, whose link is relative', () => '../main/.git/modules/w'],
  ])('names the branch of %s', async (_, link) => {
    await using root = await tempDirectory()
    for (const folder of ['worktrees', 'modules'])
      write(join(root.path, `main/.git/${folder}/w/HEAD`), 'ref: refs/heads/side\n')
    write(join(root.path, 'w/.git'), `gitdir: ${link(root.path)}\n`)
    const { sessionContext } = await contextOf(root.path, join(root.path, 'w'))
    expect(sessionContext).toContain('Git branch: side')
  })

  const line = `${'a line of rules, é'.repeat(3)}\n`
  const utf16 = (text: string, order: 'LE' | 'BE') => {
    const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le')
    return order === 'LE' ? bytes : bytes.swap16()
  }
  const shapes: readonly (readonly [title: string, content: string | Buffer, text: string, warning: string | null])[] =
    [
      ['of the full size', line.repeat(1_000), line.repeat(1_000).trim(), null],
      [
        'beyond 64 KiB',
        line.repeat(2_000),
        '(This file has 113.3 KiB. Only its first ',
        'has 113.3 KiB: the model is given',
      ],
      [
        'of one long line',
        'é'.repeat(70_000),
        'éé\n\n(This file has 136.7 KiB. Only its first 1 line ',
        'has 136.7 KiB',
      ],
      ['with a byte order mark', `\uFEFF${line}`, `AGENTS.md\n\n${line.trim()}`, null],
      ['in UTF-16, little end first', utf16('Rüle 𝄞', 'LE'), 'AGENTS.md\n\nRüle 𝄞', null],
      ['in UTF-16, big end first', utf16('Rüle 𝄞', 'BE'), 'AGENTS.md\n\nRüle 𝄞', null],
      ['in long UTF-16', utf16(line.repeat(2_000), 'BE'), '(This file has ', 'the model is given its first '],
      ['in UTF-16 without a mark', Buffer.from('Rule', 'utf16le'), 'a coding agent', 'is no text of UTF-8 or UTF-16'],
    ]

  it.each(shapes)('holds an AGENTS.md %s', async (_title, content, text, warning) => {
    await using root = await tempDirectory()
    const path = join(root.path, 'work/AGENTS.md')
    write(path, content)
    const { instructions, warnings } = await contextOf(root.path, join(root.path, 'work'))
    // As a truth value: a failure would print all of it.
    expect([instructions.includes(text), /[\0\uFFFD]/.test(instructions)]).toEqual([true, false])
    expect(instructions.length).toBeLessThan(70_000)
    expect(warnings.map((one) => one.startsWith(`${path} `))).toEqual(warning === null ? [] : [true])
    expect(warnings.join()).toContain(warning ?? '')
  })

  it.each(['AGENTS.md', 'CLAUDE.md'])('holds nothing of a pipe, a socket or a folder named %s', async (name) => {
    await using root = await tempDirectory()
    const at = (...names: string[]) => join(root.path, 'work', ...names)
    mkdirSync(at('a/b', name), { recursive: true })
    execFileSync('mkfifo', [at(name)])
    const socket = createServer().listen(at('a', name))
    await once(socket, 'listening')
    write(at('.git/HEAD'), 'ref: refs/heads/main\n')
    const { instructions, instructionFiles, warnings } = await contextOf(root.path, at('a/b'))
    expect([instructionFiles, warnings]).toEqual([[], []])
    expect(instructions).not.toContain('# Instructions from')
    socket.close()
  })

  it('is said to the user as a conversation opens, where a file is cut', async () => {
    await using place = testPlace()
    place.write('AGENTS.md', line.repeat(2_000))
    const { client, summary } = await place.talk()
    const said = expect.stringContaining('AGENTS.md has 113.3 KiB: the model is given its first 1129 lines')
    expect(summary.warnings).toContainEqual(said)
    const again = await client.request('conversation/create', { cwd: place.root })
    expect(again.warnings).not.toContainEqual(said)
  })
})
