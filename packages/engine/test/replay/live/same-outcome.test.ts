import { describe, expect, it } from 'vitest'
import { compareOutcomes, lastingText } from '../../../src/replay/live/same-outcome.ts'
import type { ToolOutcome } from '../../../src/tools/contract/tool.ts'

const lasting = (text: string) => lastingText(text, ['/tmp/copy/work', '/home/me/proj'])
const ended = (head: string, exitCode = 0): ToolOutcome => ({
  status: 'completed',
  modelText: `exit ${exitCode}\n${head}`,
  fields: { exitCode, output: { head, tail: '', totalBytes: head.length, omittedBytes: 0 } },
})

describe('the text of an outcome', () => {
  it.each([
    ['a time of day', 'at 06:10:18 done', 'at 23:59 done'],
    ['a date', 'on 2026-11-23T06:10:18.123Z.', 'on 2027-01-02.'],
    ['a date of `date`', 'Mon Nov 23 06:10:18 UTC 2026', 'Tue Dec 1 16:10:18 CET 2027'],
    ['a date of `ls`', 'me 12 Nov 23 06:10 a.txt', 'me 12 Jan  2  2026 a.txt'],
    ['a duration', '3 passed (1.23s)', '3 passed (17 ms)'],
    ['seconds since 1970', '{"at":1795414218123}', '{"at":1795414999000}'],
    ['a process', 'pid 4711 started\n[1] 4711', 'pid 12 started\n[1] 12'],
    ['a temporary path', 'wrote /tmp/tmp.aB3/x.', 'wrote /tmp/tmp.zz9/x.'],
    ['the folder', '/home/me/proj/a.ts:3', '/tmp/copy/work/a.ts:3'],
  ])('does not tell %s apart', (_, then, now) => {
    expect(compareOutcomes(ended(then), ended(now), lasting)).toBeNull()
  })

  it.each([
    ['3 passed', '2 passed'],
    ['/home/me/project/a', '/tmp/copy/work/a'],
    ['/srv/home/me/proj', '/srv/tmp/copy/work'],
    ['version 1.2.3', 'version 1.2.4'],
  ])('tells %j from %j', (then, now) => {
    expect(compareOutcomes(ended(then), ended(now), lasting)).toMatchObject({ path: 'output' })
  })

  it('is compared after the exit code, of which the first difference is named', () => {
    expect(compareOutcomes(ended('a', 0), ended('b', 1), lasting)).toEqual({ path: 'exitCode', logged: 0, replayed: 1 })
  })
})
