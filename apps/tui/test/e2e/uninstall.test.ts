import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type ExecWorld, execWorld } from './exec-world.ts'

/** A home in which a turn has run and a key is kept, with things in it that parley did not make. */
async function usedWorld(): Promise<ExecWorld> {
  const world = await execWorld({ steps: [{ text: 'Done.' }], provider: 'env_key = "LOCAL_KEY"' })
  const home = world.env.PARLEY_HOME
  await world.shell('parley login local <<<the-key-of-local')
  await world.exec(['hi'])
  renameSync(join(home, 'config.toml'), join(world.home, 'own.toml'))
  symlinkSync(join(world.home, 'own.toml'), join(home, 'config.toml'))
  symlinkSync(world.cwd, join(home, 'logs', 'out'))
  writeFileSync(join(home, 'AGENTS.md'), 'mine')
  const node = join(world.home, '.cache', 'parley', 'node@24')
  mkdirSync(node, { recursive: true })
  writeFileSync(join(node, 'package.json'), '{"name":"parley-node"}')
  writeFileSync(join(world.cwd, 'work.txt'), 'mine')
  return world
}

describe('parley uninstall', () => {
  test('lists what there is and removes nothing where nobody can be asked; with --yes only what is not its own stays', async () => {
    await using world = await usedWorld()
    const home = world.env.PARLEY_HOME
    const before = readdirSync(home).sort()
    const listed = await world.parley('uninstall')
    expect(listed).toMatchObject({ exitCode: 12, stderr: 'Nothing was removed; --yes does it.\n' })
    for (const name of before.filter((one) => one !== 'AGENTS.md')) expect(listed.stdout).toContain(`/${name} `)
    expect(listed.stdout).toMatch(/provider\/local +key or login/)
    expect(listed.stdout).toMatch(/config\.toml +settings \(a link; .*own\.toml stays\)/)
    expect(listed.stdout).toMatch(/These stay: .*\/AGENTS\.md\.\n/)
    expect(readdirSync(home).sort()).toEqual(before)

    const kept = await world.parley('uninstall', '--yes', '--keep-conversations')
    expect(kept).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('The key of local is forgotten here') })
    expect(readdirSync(home).sort()).toEqual(['AGENTS.md', 'sessions'])
    expect(existsSync(join(world.home, '.cache', 'parley'))).toBe(false)

    expect(await world.parley('uninstall', '--yes')).toMatchObject({ exitCode: 0 })
    expect(readdirSync(home)).toEqual(['AGENTS.md'])
    expect(readFileSync(join(world.home, 'own.toml'), 'utf8')).toContain('scripted')
    expect(readFileSync(join(world.cwd, 'work.txt'), 'utf8')).toBe('mine')
  })

  test('removes nothing while a server runs, by whatever name of the home, and nothing from a home that is that of the user', async () => {
    await using world = await usedWorld()
    const before = readdirSync(world.env.PARLEY_HOME).sort()
    const whileRunning =
      'ln -s "$PARLEY_HOME" "$HOME/other"; PARLEY_HOME="$HOME/other" parley server --daemon; parley uninstall --yes; code=$?; kill $(sed -n "s/.*process \\([0-9]*\\),.*/\\1/p" out); exit $code'
    const refused = await world.shell(whileRunning.replace('parley uninstall --yes', 'parley uninstall --yes >out'))
    expect(refused).toMatchObject({
      exitCode: 9,
      stderr: expect.stringMatching(/A server still uses this home \(process \d+\)\. End it first \(kill \d+\)/),
    })
    expect(readdirSync(world.env.PARLEY_HOME).sort()).toEqual(expect.arrayContaining(before))
    const silent =
      'parley server --daemon >started 2>&1; p=$(sed -n "s/^parley server \\([0-9]*\\) .*/\\1/p" started); kill -STOP $p; parley uninstall --yes; code=$?; kill -9 $p; exit $code'
    expect(await world.shell(silent)).toMatchObject({
      exitCode: 9,
      stderr: expect.stringMatching(/A server at .*\.sock does not answer, and may use this home/),
    })
    const own = await world.shell('PARLEY_HOME=$HOME parley uninstall --yes')
    expect(own).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('holds your home') })
  })
})
