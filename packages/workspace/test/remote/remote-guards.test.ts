import { RpcError } from '@parley/rpc'
import { describe, expect, it } from 'vitest'
import type { ExecLink } from '../../src/remote/link.ts'
import { remoteGuards } from '../../src/remote/remote-sandboxes.ts'

const linkThat = (answer: () => Promise<unknown>): Pick<ExecLink, 'ask'> => ({ ask: answer as ExecLink['ask'] })
const question = { paths: ['/w/a', '/w/.git/config', '/w/tools/hooks/x'], roots: ['/w'], home: '/home/ann' }

describe('remoteGuards', () => {
  it('returns the kinds from the exec-server, and guards known names whatever it answers', async () => {
    const link = linkThat(() => Promise.resolve({ kinds: [null, null, 'gitHooks'] }))
    expect(await remoteGuards(link, question)).toEqual([null, 'repository', 'gitHooks'])
  })

  it('guards everything when the exec-server does not know fs/guards', async () => {
    const link = linkThat(() => Promise.reject(new RpcError(-32601, 'unknown method')))
    expect(await remoteGuards(link, question)).toEqual(['unknown', 'repository', 'unknown'])
  })
})
