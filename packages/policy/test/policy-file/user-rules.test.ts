import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { startSafely } from '@parley/config'
import { smallDisk, tempDirectory } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { createUserRules } from '../../src/policy-file/user-rules.ts'

const npm = '[[rule]]\ndecision = "allow"\ncommand = ["npm", "test"]\n'
const isOrdinaryUser = process.getuid?.() !== 0

async function home(text?: string) {
  const directory = await tempDirectory()
  const file = join(directory.path, 'policy.toml')
  if (text !== undefined) writeFileSync(file, text)
  return { rules: createUserRules(directory.path), file, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() }
}

it('allows nothing in a server that was started with --safe, and cannot be added to there', async () => {
  const deny = '[[rule]]\ndecision = "deny"\ncommand = ["rm"]\n'
  await using place = await home(npm + deny)
  startSafely(dirname(place.file))
  expect(await place.rules.read()).toMatchObject({ rules: [{ decision: 'deny' }], problems: [] })
  expect(place.rules.rules).toMatchObject([{ decision: 'deny' }])
  expect(place.rules.add(npm)).toEqual({ problem: expect.stringContaining('--safe') })
  expect(readFileSync(place.file, 'utf8')).toBe(npm + deny)
})

describe('an added rule', () => {
  it('creates the file, readable for its user only, and holds at once', async () => {
    await using place = await home()
    expect(place.rules.add(npm)).toEqual({ line: 1 })
    expect(readFileSync(place.file, 'utf8')).toBe(npm)
    expect(statSync(place.file).mode & 0o777).toBe(0o600)
    expect(place.rules.rules).toMatchObject([{ decision: 'allow', source: { file: place.file, line: 1 } }])
  })

  it.each([
    ['# mine\n[[rule]]\ndecision = "deny"\ntool = "x" # why\n', 6],
    ['# no line end', 3],
    ['reason = 1', null],
  ])('is appended to %j, which stays unchanged', async (before, line) => {
    await using place = await home(before)
    const added = place.rules.add(npm)
    if (line === null) expect(added).toMatchObject({ problem: expect.stringContaining('policy.toml:1') })
    else expect(added).toEqual({ line })
    const text = readFileSync(place.file, 'utf8')
    expect(text.startsWith(before)).toBe(true)
    expect(text.endsWith(npm)).toBe(line !== null)
  })

  it.each([
    'rule = [{decision = "deny", tool = "x"}]\n',
    '[[rule]]\ndecision = "deny"\ntool = "x"\nreason = """\nopen',
    '[[rule]]\ndecision = "allow"\ncommand = ["x"',
  ])('is not appended to %j', async (before) => {
    await using place = await home(before)
    expect(place.rules.add(npm)).toMatchObject({ problem: expect.any(String) })
    expect(readFileSync(place.file, 'utf8')).toBe(before)
  })

  it('is not written twice', async () => {
    await using place = await home(`# mine\n${npm}`)
    expect(place.rules.add(npm)).toEqual({ line: 2 })
    expect(place.rules.add(npm)).toEqual({ line: 2 })
    expect(readFileSync(place.file, 'utf8')).toBe(`# mine\n${npm}`)
  })

  it('must be an allow rule', async () => {
    await using place = await home('')
    expect(place.rules.add('[[rule]]\ndecision = "deny"\ntool = "x"\n')).toMatchObject({ problem: expect.any(String) })
    expect(readFileSync(place.file, 'utf8')).toBe('')
  })

  it('is left out whole where the disk takes only a part of it', async ({ skip }) => {
    await using directory = await tempDirectory()
    const home = join(directory.path, 'home')
    using disk = smallDisk(home, 4096)
    if (disk === null) return skip('mounting is not allowed here')
    const file = join(home, 'policy.toml')
    const before = `# ${'mine '.repeat(815)}\n`
    writeFileSync(file, before)
    expect(createUserRules(home).add(npm)).toMatchObject({ problem: expect.stringContaining('no space left') })
    expect(readFileSync(file, 'utf8')).toBe(before)
  })

  it.runIf(isOrdinaryUser)('is not said to hold where the file cannot be written', async () => {
    await using place = await home('# mine\n')
    chmodSync(place.file, 0o400)
    expect(place.rules.add(npm)).toMatchObject({ problem: expect.stringContaining('permission denied') })
    expect(place.rules.rules).toEqual([])
  })
})
