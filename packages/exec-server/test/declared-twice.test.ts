import { type GuardKind, guardKinds, type Enforcement as HostEnforcement } from '@parley/host'
import type { Enforcement } from '@parley/protocol'
import { type ExecResultOf, execMethods } from '@parley/protocol/exec'
import { expect, it } from 'vitest'

type Same<One, Other> = [One, Other] extends [Other, One] ? true : false

type SentGuard = Exclude<ExecResultOf<'fs/guards'>['kinds'][number], null>
type SentSandbox = NonNullable<ExecResultOf<'environment/info'>['sandbox']>
type SentEnforcement = Exclude<SentSandbox['enforcement'], undefined>

it('host and protocol, which cannot import each other, declare the same words', () => {
  const guards: Same<GuardKind, SentGuard> = true
  const enforcements: Same<HostEnforcement, Enforcement> = true
  const sent: Same<HostEnforcement, SentEnforcement> = true
  // @ts-expect-error one word more makes another type
  const others: Same<GuardKind | 'other', SentGuard> = true
  expect([guards, enforcements, sent, others]).not.toContain(false)
  const { kinds } = execMethods['fs/guards'].result.parse({ kinds: [...guardKinds, null] })
  expect(kinds).toEqual([...guardKinds, null])
})
