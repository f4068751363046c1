import { expect, test } from 'vitest'
import { openTarget, type Target } from '../../src/scripted/open-target.ts'

test.each<[string, Target, object]>([
  ['the newest of the folder', { kind: 'fork', last: true, at: null }, { last: true, cwd: '/work' }],
  ['the named one', { kind: 'fork', last: false, id: '0a1b', at: 3 }, { prefix: '0a1b' }],
])('a copy is made of %s', async (_, target, asked) => {
  const requests: object[] = []
  const unused = () => Promise.reject(new Error('not asked for'))
  const parley = {
    create: unused,
    fork: unused,
    resume: unused,
    request: (method: string, params: object) => {
      requests.push({ method, ...params })
      return Promise.reject(new Error('not found'))
    },
  }
  await expect(openTarget(parley, target, { cd: '/work' })).rejects.toThrow('not found')
  expect(requests).toEqual([{ method: 'conversation/resume', ...asked, readOnly: true }])
})
