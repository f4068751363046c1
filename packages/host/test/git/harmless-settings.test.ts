import { describe, expect, it } from 'vitest'
import { startingSetting } from '../../src/git/harmless-settings.ts'

const isWorkTree = (path: string) => path === '../sub'

describe('settings of a repository', () => {
  it.each([
    ['[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n'],
    ['[remote "origin"]\n\turl = https://example.org/a.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n'],
    ['[remote "origin"]\n\turl = git@example.org:a/b.git\n\tpushurl = ssh://git@example.org:22/a\n'],
    ['[remote "o"]\n\turl = ../other\n\turl = /srv/a b.git\n\turl = file:///srv/a\n\turl = git://example.org/a\n'],
    ['[branch "a/b"]\n\tremote = origin\n\tmerge = refs/heads/a/b\n\trebase = true\n'],
    ['# note\n; note\n[user]\n\tname = "A \\"b\\" #c"\n\temail = a@example.org\n[core]\r\n\tautocrlf = input\r\n'],
    ['[core]\n\tworktree = ../sub\n\tfsmonitor = false\n[submodule "x"]\n\tactive = true\n\turl = ../x\n'],
    [''],
  ])('%j start nothing', (text) => expect(startingSetting(text, isWorkTree)).toBeNull())

  it.each([
    ['core.fsmonitor', '[core]\n\tfsmonitor = x\n'],
    ['core.worktree', '[core]\n\tworktree = /etc\n'],
    ['core.pager', '[core]\n\tbare = true\n\tpager = cat\n'],
    ['alias.st', '[alias]\n\tst = status\n'],
    ['include.path', '[include]\n\tpath = x\n'],
    ['pull.twohead', '[pull]\n\ttwohead = evil\n'],
    ['branch.x.remote', '[branch "x"]\n\tremote = ext::evil\n'],
    ['branch.x.mergeoptions', '[branch "x"]\n\tmergeoptions = -s evil\n'],
    ['gc.recentobjectshook', '[gc]\n\trecentObjectsHook = evil\n'],
    ['uploadpack.packobjectshook', '[uploadpack]\n\tpackObjectsHook = true\n'],
    ['http.proxy', '[http]\n\tproxy = http://example.org\n'],
    ['unheard.of', '[unheard]\n\tof = true\n'],
    ...['ext::x', '-x', '--upload-pack=x', 'foo://x', 'foo::x', 'ssh://-x/y', 'a b:c'].map((url) => [
      'remote.o.url',
      `[remote "o"]\n\turl = ${url}\n`,
    ]),
    ['a line that git does not write', '[core] fsmonitor = x\n'],
    ['a line that git does not write', '[core]\n\tfsmonitor\n'],
    ['a line that git does not write', '[core]\n\tbare = \\\nfalse\n'],
    ['a line that git does not write', '[user]\n\tname = "x\n\temail = y"\n'],
    ['a line that git does not write', '[user]\n\tname = x\0\n[core]\n\tpager = y\n'],
    ['a line that git does not write', '\uFEFF[core]\n\tbare = true\n'],
    ['a line that git does not write', '[core]\n\tbare = true\r\tpager = x\n'],
  ])('count as able to start a program by %s: %j', (name, text) => expect(startingSetting(text, isWorkTree)).toBe(name))

  it('of the longest size are told in time', () => {
    const text = `[user]\n\tname = ${'a\\"'.repeat(300_000)}\n`
    expect(startingSetting(text, isWorkTree)).not.toBe('core.fsmonitor')
  })
})
