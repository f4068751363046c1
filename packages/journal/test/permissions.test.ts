import { spawnSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundledProgram } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { SAMPLE_ID } from './sample-log.ts'
import { temporaryFolder } from './temporary-folder.ts'

const program = bundledProgram(fileURLToPath(new URL('make-session.ts', import.meta.url)))

describe('what the log leaves on disk', { timeout: 60_000 }, () => {
  it.each(['000', '022', '777'])('is for its owner alone under umask %s', (umask) => {
    using folder = temporaryFolder()
    const home = join(folder.path, 'home')
    const made = spawnSync(process.execPath, [program, home, SAMPLE_ID, umask], { encoding: 'utf8' })
    expect(made).toMatchObject({ status: 0, stderr: '' })
    const entries = readdirSync(folder.path, { recursive: true, withFileTypes: true })
    const modes = entries.map((entry) => {
      const mode = statSync(join(entry.parentPath, entry.name)).mode & 0o777
      return [entry.name, mode.toString(8), entry.isDirectory() ? '700' : '600']
    })
    for (const [name, mode, wanted] of modes) expect([name, mode]).toEqual([name, wanted])
    // home, sessions, year, month, day, two folders of side files; log, lock, torn piece, four side files, index
    expect(modes).toHaveLength(15)
  })

  it('is made in a user namespace, where files of the kernel belong to nobody', ({ skip }) => {
    const apart = ['--user', '--map-current-user']
    skip(process.getuid?.() === 0, 'root is there as itself; an ordinary user sees this')
    skip(spawnSync('unshare', [...apart, 'true']).status !== 0, 'this user may make no user namespaces here')
    using folder = temporaryFolder()
    const words = [...apart, process.execPath, program, join(folder.path, 'home'), SAMPLE_ID, '022']
    expect(spawnSync('unshare', words, { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
  })
})
