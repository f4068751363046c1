import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { fixturePath } from '../fixture-process.ts'
import { openWorkspace } from '../workspace.ts'

describe.runIf(process.platform === 'linux')('descriptors', { timeout: 60_000 }, () => {
  it('are as many after 200 commands as before, and keep no process alive', () => {
    expect(execFileSync(process.execPath, [fixturePath('many-commands.ts')]).toString()).toBe('done')
  })

  it.each(['cold', 'warm'])(
    'a command without a free descriptor reports that, and the next one runs (%s host)',
    (state) => {
      const script = 'ulimit -n 64; exec "$0" "$@"'
      using workspace = openWorkspace()
      mkdirSync(workspace.path('tmp'))
      const argv = ['-c', script, process.execPath, fixturePath('few-descriptors.ts'), state]
      const printed = execFileSync('sh', argv, { env: { ...process.env, TMPDIR: workspace.path('tmp') } })
      const { starved, recovered } = JSON.parse(printed.toString())
      expect(starved).toMatchObject({ reason: 'spawnFailed', spawnError: { code: 'EMFILE', subject: 'system' } })
      expect(recovered).toMatchObject({ reason: 'exited', exitCode: 0, totalBytes: 6 })
      expect(readdirSync(workspace.path('tmp'))).toEqual([])
    },
  )
})
