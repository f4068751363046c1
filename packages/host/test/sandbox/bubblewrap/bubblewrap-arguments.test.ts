import { describe, expect, it } from 'vitest'
import {
  type ArgumentOptions,
  bubblewrapArguments,
  featuresOf,
} from '../../../src/sandbox/bubblewrap/bubblewrap-arguments.ts'
import { planMounts } from '../../../src/sandbox/bubblewrap/plan-mounts.ts'

const mounts = planMounts({
  writable: ['/home/me/work'],
  readable: [],
  kept: ['/home/me/work/.git'],
  hiddenFolders: ['/home/me/.ssh'],
  hiddenFiles: ['/home/me/.netrc'],
  scratch: '/scratch',
})
const options: ArgumentOptions = {
  mounts,
  scratch: '/scratch',
  keepsNetwork: false,
  features: featuresOf([0, 8, 0]),
  env: { PATH: '/usr/bin', LD_PRELOAD: '/home/me/work/evil.so' },
  cwd: '/home/me/work',
  terminal: false,
  statusFd: 4,
  filterFd: 6,
  emptyFds: [7],
}
const told = (more: Partial<ArgumentOptions> = {}) => bubblewrapArguments({ ...options, ...more }).join(' ')

describe('the options of bwrap', () => {
  it('are all of these, in this order', () => {
    expect(told().replaceAll(' --', '\n--')).toBe(`--unshare-user
--unshare-all
--disable-userns
--die-with-parent
--as-pid-1
--new-session
--cap-drop ALL
--json-status-fd 4
--seccomp 6
--ro-bind / /
--dev /dev
--size 268435456
--tmpfs /dev/shm
--ro-bind-data 7 /home/me/.netrc
--tmpfs /home/me/.ssh
--bind /home/me/work /home/me/work
--ro-bind /home/me/work/.git /home/me/work/.git
--proc /proc
--ro-bind /proc/sys /proc/sys
--bind /scratch /tmp
--remount-ro /home/me/.ssh
--setenv PATH /usr/bin
--setenv LD_PRELOAD /home/me/work/evil.so
--chdir /home/me/work`)
  })

  it('leave out what an older version does not know', () => {
    expect(told({ features: featuresOf([0, 4, 1]) })).not.toMatch(/--disable-userns|--size/)
    expect(told({ features: featuresOf([0, 7, 0]) })).toContain('--size')
    expect(featuresOf([1, 0, 0])).toEqual({ sizes: true, disablesNamespaces: true })
  })

  it('share the network only where it is allowed, and make no session for a terminal', () => {
    expect(told()).not.toContain('--share-net')
    expect(told({ keepsNetwork: true })).toContain('--share-net')
    expect(told({ terminal: true })).not.toContain('--new-session')
  })

  it('make an empty /tmp of limited size without a scratch folder', () => {
    expect(told({ scratch: null })).toContain('--size 536870912 --tmpfs /tmp')
  })
})
