import { describe, expect, it } from 'vitest'
import { ripgrepLimits } from '../../src/look-up/ripgrep-run.ts'

const run = { command: ['/opt/parley/bin/rg', 'x'], cwd: '/home/u/work', timeLimitMs: 1, onOutput: () => true } as const
const secrets = ['/home/u/.ssh', '/home/u/.parley', '/opt/parley/keys', '/etc/shadow']

describe('ripgrepLimits', () => {
  it('allows reading only and keeps the searched path visible', () => {
    expect(ripgrepLimits({ ...run, looksAt: '/tmp/other' }, secrets)).toEqual({
      mode: 'read-only',
      writableRoots: ['/home/u/work', '/tmp/other', '/opt/parley/bin'],
      network: false,
      unixSockets: false,
      masked: secrets,
      scratch: null,
    })
  })

  it.each([
    [
      'in a secret place that it was let into',
      '/home/u/.ssh/config.d',
      ['/home/u/.parley', '/opt/parley/keys', '/etc/shadow'],
    ],
    ['in a folder with secret places, all of which it was let into', '/home/u', ['/opt/parley/keys', '/etc/shadow']],
    ['of one file', '/home/u/work/a', secrets],
    ['beside a secret place of a similar name', '/home/u/.sshd', secrets],
  ])('%s masks the other secrets', (_, looksAt, masked) => {
    expect(ripgrepLimits({ ...run, looksAt }, secrets).masked).toEqual(masked)
  })

  it('does not mask the folder of the ripgrep program', () => {
    const command = ['/home/u/.parley/bin/rg'] as const
    expect(ripgrepLimits({ ...run, command, looksAt: run.cwd }, secrets).masked).not.toContain('/home/u/.parley')
  })
})
