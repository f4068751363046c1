import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { nodeFiles } from '../../src/disk/node-files.ts'
import { sessionPaths, walkSessions } from '../../src/disk/session-paths.ts'
import { sweepUnfinished } from '../../src/sessions/sweep-unfinished.ts'
import { logText, SAMPLE_ID, sampleLines } from '../sample-log.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const script = fileURLToPath(new URL('../killed-fork.ts', import.meta.url))
const forkId = SAMPLE_ID.replace(/2$/, '3')

describe('a fork', () => {
  it('is not listed when its process is killed between two slices, and is swept an hour later', {
    timeout: 30_000,
  }, () => {
    using home = temporaryFolder()
    const paths = sessionPaths(home.path, SAMPLE_ID)
    if (paths === null) throw new Error('no id')
    mkdirSync(paths.folder, { recursive: true })
    writeFileSync(paths.log, logText(sampleLines(20_000)))
    const forked = sessionPaths(home.path, forkId)
    mkdirSync(forked?.sideFiles ?? '')
    const args = ['--conditions=@parley/source', script, home.path, SAMPLE_ID, forkId]
    expect(spawnSync(process.execPath, args, { encoding: 'utf8' })).toMatchObject({ signal: 'SIGKILL', stderr: '' })
    const [left = '', ...others] = readdirSync(paths.folder).filter((name) => name.startsWith(`${forkId}.jsonl`))
    const { size } = statSync(join(paths.folder, left))
    expect({ others, isPart: size > 0 && size < statSync(paths.log).size }).toEqual({ others: [], isPart: true })
    expect(walkSessions(nodeFiles, home.path).map(({ id }) => id)).toEqual([SAMPLE_ID])
    const mine = `${paths.log}.mine.tmp`
    writeFileSync(mine, '')
    expect(sweepUnfinished(nodeFiles, home.path, Date.now())).toBe(0)
    expect(sweepUnfinished(nodeFiles, home.path, Date.now() + 2 * 60 * 60 * 1000)).toBe(1)
    expect(readdirSync(paths.folder).sort()).toEqual([basename(paths.log), basename(mine)])
  })
})
