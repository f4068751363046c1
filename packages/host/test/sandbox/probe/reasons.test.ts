import { describe, expect, it } from 'vitest'
import {
  noBubblewrap,
  type SystemRestrictions,
  whyNotBubblewrap,
  whyNotLandlock,
} from '../../../src/sandbox/probe/reasons.ts'

const plain: SystemRestrictions = {
  isContainer: false,
  restrictsUserNamespaces: false,
  forbidsUserNamespaces: false,
  hasNoUserNamespaces: false,
  isRoot: false,
}
const broken = { kind: 'broken', message: 'bwrap: setting up uid map: Permission denied\nmore' } as const

describe('the reason against bubblewrap', () => {
  it('names the package when it is missing', () => {
    for (const command of ['apt install bubblewrap', 'dnf install bubblewrap', 'pacman -S bubblewrap']) {
      expect(noBubblewrap).toContain(command)
    }
  })

  it.each<[string, Partial<SystemRestrictions>, string]>([
    ['Ubuntu', { restrictsUserNamespaces: true }, 'kernel.apparmor_restrict_unprivileged_userns=0'],
    ['a Debian kernel', { forbidsUserNamespaces: true }, 'kernel.unprivileged_userns_clone=1'],
    ['no namespaces at all', { hasNoUserNamespaces: true, isContainer: true }, 'user.max_user_namespaces'],
    ['a container', { isContainer: true, restrictsUserNamespaces: true }, '--security-opt'],
    ['nothing known', {}, 'bwrap: setting up uid map: Permission denied.'],
    [
      'root, whom those settings do not bind',
      { isRoot: true, restrictsUserNamespaces: true, forbidsUserNamespaces: true },
      'uid map',
    ],
  ])('names what refuses it and the remedy: %s', (_, around, expected) => {
    const reason = whyNotBubblewrap(broken, { ...plain, ...around })
    expect(reason).toContain(expected)
    expect(reason).toMatch(/^[A-Zb][^\n]*\.$/)
  })

  it('names what it did not block, whatever the restrictions', () => {
    const leaks = ['keep it from writing elsewhere', 'keep it from the network']
    expect(whyNotBubblewrap({ kind: 'leaks', leaks }, { ...plain, isContainer: true })).toBe(
      'bubblewrap was tried and did not keep it from writing elsewhere, nor keep it from the network, so it is not used.',
    )
  })

  it('names a timeout, or a failure without output', () => {
    expect(whyNotBubblewrap({ kind: 'tooLong' }, plain)).toContain('in time')
    expect(whyNotBubblewrap({ kind: 'broken', message: '' }, plain)).toBe('bubblewrap could not be started.')
  })
})

describe('the reason against Landlock', () => {
  it.each<[Parameters<typeof whyNotLandlock>[0], string]>([
    ['noPerl', 'Perl'],
    ['noLandlock', 'no Landlock'],
    ['old', 'Linux 6.2'],
    [broken, 'uid map'],
    [{ kind: 'leaks', leaks: ['hide a secret from it'] }, 'did not hide a secret'],
    [{ kind: 'tooLong' }, 'in time'],
  ])('is explained: %o', (problem, expected) => {
    expect(whyNotLandlock(problem)).toContain(expected)
  })
})
