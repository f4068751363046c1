import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseFindings, probeCommand } from '../../../src/sandbox/probe/script.ts'
import { openProbeTargets } from '../../../src/sandbox/probe/targets.ts'
import { runWrapped } from '../../../src/sandbox/probe/try-limits.ts'
import { findProgram, programFolders } from '../../../src/system/programs.ts'

const perl = findProgram('perl', programFolders(''))?.path ?? null

describe('the probe without limits', () => {
  it.skipIf(process.platform !== 'linux').each(perl === null ? [null] : [null, perl])(
    'finds that nothing is kept from it (%s)',
    async (found) => {
      await using ground = await openProbeTargets(null)
      const { inside, outside, secret, secretText, port, node } = ground
      const argv = probeCommand({ perl: found, node }, [inside, outside, secret, secretText, String(port)])
      const { stdout } = await runWrapped({ argv, env: {}, cwd: '/' }, 20_000)
      expect(parseFindings(stdout)).toMatchObject({
        wroteInside: true,
        wroteOutside: true,
        readSecret: true,
        tcp: 'ok',
        unix: 'ok',
      })
      expect(existsSync(join(inside, 'written'))).toBe(true)
      expect(await ground.wasWritten()).toBe(true)
      await expect.poll(() => ground.wasReached()).toBe(true)
    },
  )

  it('leaves nothing behind', async () => {
    const places: string[] = []
    {
      await using ground = await openProbeTargets(null)
      places.push(ground.root, ground.outside)
    }
    expect(places.filter((path) => existsSync(path))).toEqual([])
  })
})
