import { describe, expect, test } from 'vitest'
import { ceilingFlags } from '../../src/cli/early-arguments.ts'

const full = ['--max-sandbox', 'danger-full-access']

describe('how much our own server may allow', () => {
  test.each([
    [[], []],
    [['-s', 'workspace-write', 'fix it'], []],
    [['-s', 'read-only'], []],
    [['-s', 'danger-full-access'], full],
    [['-sdanger-full-access'], full],
    [['exec', '--sandbox', 'danger-full-access', 'go'], full],
    [['exec', '--sandbox=danger-full-access', 'go'], full],
    [['-c', 'sandbox_mode=danger-full-access'], full],
    [['-c', 'sandbox_mode = "danger-full-access"'], full],
    [["-csandbox_mode='danger-full-access'"], full],
    [['--config=sandbox_mode="danger-full-access"'], full],
    [['-c', 'model="danger-full-access"'], []],
    [
      ['-a', 'never', '-s', 'danger-full-access'],
      [...full, '--allow-never'],
    ],
    [['--ask-for-approval=never'], ['--allow-never']],
    [['-c', 'approval_policy="never"'], ['--allow-never']],
    [['--dangerously-bypass-approvals-and-sandbox'], [...full, '--allow-never']],
    [
      ['exec', '--yolo', 'go'],
      [...full, '--allow-never'],
    ],
    [['exec', '--', '--yolo'], []],
    [['-a', 'on-request'], []],
    [['-p', 'open'], ['--profile=open']],
    [['-c', 'profile=a', '--profile=b'], ['--profile=b']],
    [['-p', '-s'], ['--profile=-s']],
    [['--safe'], ['--safe']],
    [['exec', '--safe', '-p', 'open', 'go'], ['--safe']],
    [['exec', '--', '--safe'], []],
    [['exec', 'tell me what -s danger-full-access does'], []],
    [['exec', '--', '-s', 'danger-full-access'], []],
    [['-s'], []],
    [
      ['-C', '/h/.ssh', '--allow-secret-folder', '/h/.ssh', '--allow-secret-folder=/x'],
      ['--allow-secret-folder=/h/.ssh', '--allow-secret-folder=/x'],
    ],
  ])('is, for %j, %j', (argv, flags) => {
    expect(ceilingFlags(argv)).toEqual(flags)
  })
})
