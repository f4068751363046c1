import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Line, lineText } from '@parley/presentation/text/span'
import { tempDirectory, waitUntil } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { type UserLook, UserPrograms, usualSettings } from '../../src/programs/user-programs.ts'
import { after, turnStarted } from '../view/scenes/conversation.ts'

const telling = { type: 'approval', conversationId: 'c', cwd: '/x', title: 'parley: fix', text: 'waits' } as const

/** The window's programs with these values in the user's configuration. */
async function configured(config: Readonly<Record<string, unknown>>) {
  const written: string[] = []
  const warnings: string[] = []
  const lines: (Line | null)[] = []
  const looks: UserLook[] = []
  const programs = new UserPrograms({
    env: { ...process.env, TERM: 'xterm' },
    write: (text) => void written.push(text),
    warn: (text) => void warnings.push(text),
    showStatus: (line) => void lines.push(line),
    showLook: (look) => void looks.push(look),
  })
  const values = Object.entries(config).map(([key, value]) => ({ key, value, origin: 'config.toml' }))
  const request = async () => ({ values, warnings: [], credentials: { found: true, variables: [] } })
  await programs.load({ request: request as () => Promise<never> }, { cwd: '/x' }) // narrowed: config/read is all it asks
  return { programs, written, warnings, lines, looks }
}

describe('the programs of the user', () => {
  test('set the title, and ring by the setting', async () => {
    const { programs, written } = await configured({ 'tui.notifications': 'osc9' })
    programs.signal({ title: 'parley: fix', telling })
    programs.signal({ title: null, telling: null })
    expect(written).toEqual(['\x1b]2;parley: fix\x07', '\x07\x1b]9;parley: fix waits\x07'])
  })

  test.each([['off'], [false]])('ring not at all by %s', async (notifications) => {
    const { programs, written } = await configured({ 'tui.notifications': notifications })
    programs.signal({ title: null, telling })
    expect(written.join('')).toBe('')
  })

  test('are told what waits as JSON', async () => {
    await using folder = await tempDirectory()
    const [script, told] = [join(folder.path, 'notify.sh'), join(folder.path, 'told')]
    writeFileSync(script, `cat > '${told}.part' && mv '${told}.part' '${told}'\n`)
    const { programs, warnings } = await configured({ notify: ['sh', script] })
    programs.signal({ title: null, telling })
    await waitUntil(() => readOrNull(told) !== null, { timeoutMs: 30_000, what: 'the program was told' })
    expect(JSON.parse(readOrNull(told) ?? '')).toEqual(telling)
    expect(warnings).toEqual([])
  })

  test('are warned about once when they fail', async () => {
    const { programs, warnings } = await configured({ notify: ['sh', '-c', 'echo no bus >&2; exit 3'] })
    programs.signal({ title: null, telling })
    await waitUntil(() => warnings.length > 0, { timeoutMs: 30_000, what: 'a warning' })
    programs.signal({ title: null, telling })
    const missing = await configured({ notify: ['/nowhere/program'] })
    missing.programs.signal({ title: null, telling })
    await waitUntil(() => missing.warnings.length > 0, { timeoutMs: 30_000, what: 'a warning' })
    expect(warnings).toEqual(['The program of `notify` in config.toml failed (sh): no bus'])
    expect(missing.warnings[0]).toContain('ENOENT')
  })
})

test.each([
  [{ 'tui.theme': 'high-contrast' }, { theme: 'high-contrast' }],
  [{ 'tui.theme': 'auto' }, {}],
  [{ 'tui.theme': 'pink' }, {}],
  [{ 'tui.reduced_motion': true }, { isStill: true }],
  [{ 'tui.ambiguous_width': 2 }, { ambiguousWidth: 2 }],
])('the configuration %j draws with %j', async (config, look) => {
  const { looks } = await configured(config)
  expect(looks).toEqual([{ ...usualSettings.look, ...look }])
})

describe('the program that writes the status line', () => {
  const state = after(turnStarted)
  const shown = async (lines: readonly (Line | null)[], count: number) => {
    await waitUntil(() => lines.length >= count, { timeoutMs: 30_000, what: `${count} lines` })
    return lines.map((line) => (line === null ? null : lineText(line)))
  }

  test('reads the facts as JSON, and again when they have changed', async () => {
    const argv = ['sed', '-nE', 's/.*"branch":"?([a-z]+).*"model":"([^"]*)".*/\\1 \\2/p']
    const { programs, lines } = await configured({ 'tui.status_line': argv })
    using _ = programs
    programs.follow(state, null)
    expect(await shown(lines, 1)).toEqual(['null gpt-5'])
    programs.follow(state, 'main')
    expect(await shown(lines, 2)).toEqual(['null gpt-5', 'main gpt-5'])
  })

  test('has its first line and its colours shown', async () => {
    const { programs, lines } = await configured({ 'tui.status_line': ['printf', '\\033[31mhot\\033[0m one\\ntwo'] })
    using _ = programs
    programs.follow(state, null)
    await shown(lines, 1)
    expect(lines).toEqual([[{ text: 'hot', tone: 'bad' }, { text: ' one' }]])
  })

  test.each([
    ['fails', ['sh', '-c', 'echo broken >&2; exit 1'], 'broken'],
    ['writes nothing', ['true'], 'it wrote nothing'],
    ['takes too long', ['sleep', '60'], 'it took longer than 1 s'],
  ])('gives way to the usual line when it %s, with one warning', async (_, argv, reason) => {
    const { programs, lines, warnings } = await configured({ 'tui.status_line': argv })
    using __ = programs
    programs.follow(state, null)
    await shown(lines, 1)
    programs.follow(state, 'main')
    expect(await shown(lines, 2)).toEqual([null, null])
    expect(warnings).toEqual([`The program of \`tui.status_line\` in config.toml failed (${argv[0]}): ${reason}`])
  })
})

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
