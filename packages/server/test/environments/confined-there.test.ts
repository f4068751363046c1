import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSandboxes } from '@parley/host'
import { expect, it } from 'vitest'
import { startFarMachine } from './support/far-machine.ts'
import { calling, inBox, patch, placeFor, shell } from './support/far-talk.ts'

const { enforcement, reason } = await openSandboxes({ cacheFile: null }).report()

it.skipIf(enforcement !== 'full')(
  `a command of an environment is confined there (needs full enforcement; here: ${reason})`,
  async () => {
    await using machine = await startFarMachine()
    await using place = placeFor(machine.newFolder())
    const { far } = place
    const outside = join(far.home, 'victim')
    writeFileSync(outside, 'as it was')
    far.write('.git/config', 'kept')
    const script = `touch made; echo x > ${outside}; echo x > .git/config; echo ended`
    const { watched, summary } = await place.talk(
      calling(shell(script)),
      {},
      { ...inBox, approvalPolicy: 'on-request' },
    )
    expect(summary.settings).toMatchObject({ enforcement: 'full', sandbox: 'workspace-write' })
    await watched.send('go')
    await watched.turnEnded()
    const [, item] = watched.items()
    expect(item).toMatchObject({ type: 'commandExecution', status: 'completed' })
    expect(JSON.stringify(item)).toContain('ended')
    expect(existsSync(join(far.work, 'made'))).toBe(true)
    expect([readFileSync(outside, 'utf8'), far.read('.git/config')]).toEqual(['as it was', 'kept'])
  },
)

it.skipIf(enforcement !== 'full')('a patch of what git runs there later asks, and another one does not', async () => {
  await using machine = await startFarMachine()
  await using place = placeFor(machine.newFolder())
  const { far } = place
  far.write('.git/config', '[core]\nhooksPath = tools/hooks')
  const model = calling(patch('*** Add File: tools/plain', '+x'), patch('*** Add File: tools/hooks/pre-commit', '+x'))
  const { watched } = await place.talk(model, {}, { ...inBox, approvalPolicy: 'on-request' })
  await watched.send('go')
  const { reason: why } = await watched.approval()
  expect(why).toContain('protected file')
  expect([existsSync(join(far.work, 'tools/plain')), existsSync(join(far.work, 'tools/hooks'))]).toEqual([true, false])
})
