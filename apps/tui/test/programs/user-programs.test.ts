import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDirectory, waitUntil } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { UserPrograms } from '../../src/programs/user-programs.ts'

const telling = { type: 'approval', conversationId: 'c', cwd: '/x', title: 'parley: fix', text: 'waits' } as const

/** The window's programs with these values in the user's configuration. */
async function configured(config: Readonly<Record<string, unknown>>) {
  const written: string[] = []
  const warnings: string[] = []
  const programs = new UserPrograms({
    env: { ...process.env, TERM: 'xterm' },
    write: (text) => void written.push(text),
    warn: (text) => void warnings.push(text),
  })
  const values = Object.entries(config).map(([key, value]) => ({ key, value, origin: 'config.toml' }))
  const request = async () => ({ values, warnings: [], credentials: { found: true, variables: [] } })
  await programs.load({ request: request as () => Promise<never> }, { cwd: '/x' }) // narrowed: config/read is all it asks
  return { programs, written, warnings }
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
    await waitUntil(() => readOrNull(told) !== null, { timeoutMs: 10_000, what: 'the program was told' })
    expect(JSON.parse(readOrNull(told) ?? '')).toEqual(telling)
    expect(warnings).toEqual([])
  })

  test('are warned about once when they fail', async () => {
    const { programs, warnings } = await configured({ notify: ['sh', '-c', 'echo no bus >&2; exit 3'] })
    programs.signal({ title: null, telling })
    await waitUntil(() => warnings.length > 0, { timeoutMs: 10_000, what: 'a warning' })
    programs.signal({ title: null, telling })
    const missing = await configured({ notify: ['/nowhere/program'] })
    missing.programs.signal({ title: null, telling })
    await waitUntil(() => missing.warnings.length > 0, { timeoutMs: 10_000, what: 'a warning' })
    expect(warnings).toEqual(['The program of `notify` in config.toml failed (sh): no bus'])
    expect(missing.warnings[0]).toContain('ENOENT')
  })
})

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
