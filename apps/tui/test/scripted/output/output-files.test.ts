import { chmod, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tempDirectory } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { fileProblem, writeAnswer } from '../../../src/scripted/output/output-files.ts'

describe('the answer in a file', () => {
  test('replaces what was there and leaves nothing else behind', async () => {
    await using folder = await tempDirectory()
    const path = join(folder.path, 'answer.md')
    await writeFile(path, 'a longer text from before')
    await chmod(path, 0o640)
    expect(writeAnswer(path, 'new\n')).toBeNull()
    expect(await readFile(path, 'utf8')).toBe('new\n')
    expect((await stat(path)).mode & 0o777).toBe(0o640)
    expect(await readdir(folder.path)).toEqual(['answer.md'])
  })

  test('goes through a link to the file it names', async () => {
    await using folder = await tempDirectory()
    const [target, link] = [join(folder.path, 'target.md'), join(folder.path, 'link.md')]
    await writeFile(target, '')
    await symlink(target, link)
    writeAnswer(link, 'new\n')
    expect(await readFile(target, 'utf8')).toBe('new\n')
    expect((await lstat(link)).isSymbolicLink()).toBe(true)
  })

  test('does not replace a device', async () => {
    expect(writeAnswer('/dev/null', 'new\n')).toBeNull()
    expect((await stat('/dev/null')).isCharacterDevice()).toBe(true)
  })

  test('that cannot be written leaves the old one and says why', async () => {
    await using folder = await tempDirectory()
    expect(writeAnswer(join(folder.path, 'none', 'answer.md'), 'new\n')).toMatch(
      /could not be written.*no such file or directory/,
    )
    await mkdir(join(folder.path, 'answer.md'))
    expect(writeAnswer(join(folder.path, 'answer.md'), 'new\n')).toMatch(/could not be written/)
    expect(await readdir(folder.path)).toEqual(['answer.md'])
  })
})

describe('before a run begins', () => {
  test('files that can be used are no problem, and the answer is not touched', async () => {
    await using folder = await tempDirectory()
    const policy = join(folder.path, 'ci.toml')
    await writeFile(policy, '')
    const output = join(folder.path, 'new.md')
    expect(fileProblem({ output, record: join(folder.path, 'tape.jsonl'), policy })).toBeNull()
    expect((await readdir(folder.path)).toSorted()).toEqual(['ci.toml', 'tape.jsonl'])
    expect(fileProblem({})).toBeNull()
  })

  test('each file that cannot be used is named', async () => {
    await using folder = await tempDirectory()
    const missing = join(folder.path, 'none', 'x')
    expect(fileProblem({ output: missing })).toMatch(/The answer cannot be written to .*none/)
    expect(fileProblem({ output: folder.path })).toMatch(/it is a folder/)
    expect(fileProblem({ record: missing })).toMatch(/Nothing can be recorded in .*none/)
    expect(fileProblem({ policy: missing })).toMatch(/The policy file .*none.* does not exist/)
    expect(fileProblem({ policy: missing, server: 'wss://a:7100' })).toBeNull()
  })
})
