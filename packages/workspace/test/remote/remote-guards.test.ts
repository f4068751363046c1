import { RpcError } from '@parley/rpc'
import { describe, expect, it } from 'vitest'
import type { Link } from '../../src/remote/link.ts'
import { remoteGuards } from '../../src/remote/remote-sandboxes.ts'

const linkThat = (answer: () => Promise<unknown>): Pick<Link, 'ask'> => ({ ask: answer as Link['ask'] })
const question = { paths: ['/w/a', '/w/.git/config', '/w/tools/hooks/x'], roots: ['/w'], home: '/home/ann' }

describe('what stays as it is on a far machine', () => {
  it('is what its exec-server says, and what is guarded by name whatever it says', async () => {
    const link = linkThat(() => Promise.resolve({ kinds: [null, null, 'gitHooks'] }))
    expect(await remoteGuards(link, question)).toEqual([null, 'repository', 'gitHooks'])
  })

  it('is everything where that cannot tell', async () => {
    const link = linkThat(() => Promise.reject(new RpcError(-32601, 'unknown method')))
    expect(await remoteGuards(link, question)).toEqual(['unknown', 'repository', 'unknown'])
  })
})
