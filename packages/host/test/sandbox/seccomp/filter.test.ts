import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arm64Calls, x64Calls } from '../../../src/sandbox/seccomp/call-numbers.ts'
import { type FilterOptions, isFilterArch, seccompFilter } from '../../../src/sandbox/seccomp/filter.ts'
import { attributeCalls, refusedCalls, sharedCalls } from '../../../src/sandbox/seccomp/refused-calls.ts'
import { runFilter, type Verdict } from './run-filter.ts'

const audit = { x64: 0xc000003e, arm64: 0xc00000b7, i386: 0x40000003, arm: 0x40000028 }
const tables = { x64: x64Calls, arm64: arm64Calls }
/** Calls that any program makes, by their numbers on each processor. */
const common = {
  x64: {
    read: 0,
    write: 1,
    mmap: 9,
    execve: 59,
    fork: 57,
    vfork: 58,
    exit_group: 231,
    openat: 257,
    prlimit64: 302,
    seccomp: 317,
    execveat: 322,
    landlock_create_ruleset: 444,
  },
  arm64: {
    read: 63,
    write: 64,
    mmap: 222,
    execve: 221,
    exit_group: 94,
    openat: 56,
    prlimit64: 261,
    seccomp: 277,
    execveat: 281,
    landlock_create_ruleset: 444,
  },
}
const high = 1n << 40n

describe.each(['x64', 'arm64'] as const)('the filter for %s', (arch) => {
  const calls: Readonly<Record<string, number>> = tables[arch]
  const judge = (
    name: string | number,
    args: readonly (number | bigint)[] = [],
    options: Partial<FilterOptions> = {},
  ) => {
    const number = typeof name === 'number' ? name : (calls[name] ?? Number.NaN)
    const filter = seccompFilter({ arch, unixSockets: false, ...options })
    return runFilter(filter, { arch: audit[arch], number, args })
  }

  it('allows what any program needs', () => {
    for (const number of Object.values(common[arch])) expect(judge(number)).toBe('allow')
  })

  it('refuses to make a program that runs as its owner', () => {
    expect(judge('fchmod', [3, 0o4755])).toBe('EPERM')
    expect(judge('fchmodat', [3, 0, 0o6755])).toBe('EPERM')
    expect(judge('fchmodat2', [3, 0, 0o4000])).toBe('EPERM')
    expect(judge('mknodat', [3, 0, 0o104755, 0])).toBe('EPERM')
    expect(judge('openat', [3, 0, 0o101, 0o4755])).toBe('EPERM')
    expect(judge('openat', [3, 0, 0o20200001, 0o4755])).toBe('EPERM')
    expect(judge('openat2')).toBe('ENOSYS')
    if (arch === 'x64') {
      for (const name of ['chmod', 'creat', 'mknod']) expect(judge(name, [0, 0o4755])).toBe('EPERM')
      expect(judge('open', [0, 0o101, 0o4755])).toBe('EPERM')
    }
  })

  it('allows every other mode, and calls without a mode', () => {
    expect(judge('fchmod', [3, 0o3755])).toBe('allow')
    expect(judge('fchmodat', [0o4000, 0o4000, 0o755])).toBe('allow')
    expect(judge('openat', [3, 0, 0, 0o4755])).toBe('allow')
    expect(judge('openat', [3, 0, 0o101, 0o644])).toBe('allow')
  })

  it.each(refusedCalls.filter((name) => name in tables[arch]))('refuses %s whatever its arguments', (name) => {
    expect(judge(name)).toBe('EPERM')
    expect(judge(name, [1, 2, 3, 4, 5, 6])).toBe('EPERM')
    expect(judge(name, Array(6).fill(-1))).toBe('EPERM')
  })

  it.each(attributeCalls.filter((name) => name in tables[arch]))(
    'refuses %s where nothing else protects metadata of files',
    (name) => {
      const plain = [3, 0, 0, 0]
      expect(judge(name, plain)).toBe('allow')
      expect(judge(name, plain, { attributes: false })).toBe('EPERM')
      expect(judge('openat', [3, 0, 0o101, 0o644], { attributes: false })).toBe('allow')
    },
  )

  it.each(sharedCalls)('refuses %s where other programs share it', (name) => {
    expect(judge(name)).toBe('allow')
    expect(judge(name, [], { shared: false })).toBe('EPERM')
  })

  it('allows setting limits of other processes only where a namespace separates them', () => {
    for (const shared of [true, false]) expect(judge('prlimit64', [0], { shared })).toBe('allow')
    expect(judge('prlimit64', [4711])).toBe('allow')
    expect(judge('prlimit64', [4711], { shared: false })).toBe('EPERM')
  })

  it('kills a caller that uses the convention of another processor', () => {
    const filter = seccompFilter({ arch, unixSockets: true })
    for (const [name, other] of Object.entries(audit)) {
      if (name !== arch) expect(runFilter(filter, { arch: other, number: 1 })).toBe('kill')
    }
    expect(runFilter(filter, { arch: 0, number: 1 })).toBe('kill')
  })

  it('refuses every number with the x32 bit, and answers later numbers as unknown', () => {
    for (const name of ['socket', 'ptrace', 'clone', 'ioctl'])
      expect(judge((calls[name] ?? 0) | 0x40000000)).toBe('EPERM')
    expect(judge(0x40000000)).toBe('EPERM')
    expect(judge(0x40000000 + 521)).toBe('EPERM')
    expect(judge(-1)).toBe('EPERM')
    // 512 to 547 were x32 calls without their bit in old kernels; 467 is open_tree_attr.
    for (const number of [467, 468, 512, 521, 547, 1000, 0x3fffffff]) expect(judge(number)).toBe('ENOSYS')
    expect(judge(466)).toBe('allow')
  })

  it('allows processes and threads, but no namespace by any flag', () => {
    const thread = 0x3d0f00
    expect(judge('clone', [0x11])).toBe('allow')
    expect(judge('clone', [thread])).toBe('allow')
    expect(judge('clone', [0x01200011])).toBe('allow')
    for (const flag of [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000]) {
      expect(judge('clone', [flag])).toBe('EPERM')
      expect(judge('clone', [flag | thread])).toBe('EPERM')
      expect(judge('clone', [BigInt(flag) | high])).toBe('EPERM')
    }
    expect(judge('clone3', [0, 88])).toBe('ENOSYS')
  })

  it.each<[string, readonly (number | bigint)[], Verdict, Verdict, Verdict]>([
    // Title, arguments of socket; verdicts: plain, with unix sockets allowed, with IP sockets refused
    ['unix', [1, 1, 0], 'EPERM', 'allow', 'EPERM'],
    ['unix with high bits', [1n | high, 1, 0], 'EPERM', 'allow', 'EPERM'],
    ['IPv4', [2, 1, 0], 'allow', 'allow', 'EPERM'],
    ['IPv4 with high bits', [2n | high, 1, 0], 'allow', 'allow', 'EPERM'],
    ['IPv6', [10, 2, 0], 'allow', 'allow', 'EPERM'],
    ['netlink, routes', [16, 3, 0], 'allow', 'allow', 'allow'],
    ['netlink, sockets', [16, 3, 4], 'allow', 'allow', 'allow'],
    ['netlink, firewall', [16, 3, 12], 'EPERM', 'EPERM', 'EPERM'],
    ['netlink, audit', [16, 3, 9], 'EPERM', 'EPERM', 'EPERM'],
    ['netlink, generic', [16, 3, 16], 'EPERM', 'EPERM', 'EPERM'],
    ['no family', [0, 1, 0], 'EPERM', 'EPERM', 'EPERM'],
    ['a family below nothing', [-1, 1, 0], 'EPERM', 'EPERM', 'EPERM'],
    ['key', [15, 3, 2], 'EPERM', 'EPERM', 'EPERM'],
    ['packet', [17, 3, 0], 'EPERM', 'EPERM', 'EPERM'],
    ['bluetooth', [31, 3, 0], 'EPERM', 'EPERM', 'EPERM'],
    ['ciphers', [38, 5, 0], 'EPERM', 'EPERM', 'EPERM'],
    ['virtual machines', [40, 1, 0], 'EPERM', 'EPERM', 'EPERM'],
    ['xdp', [44, 3, 0], 'EPERM', 'EPERM', 'EPERM'],
  ])('judges sockets: %s', (_, args, plain, withUnix, withoutIp) => {
    expect(judge('socket', args)).toBe(plain)
    expect(judge('socket', args, { unixSockets: true })).toBe(withUnix)
    expect(judge('socket', args, { ipSockets: false })).toBe(withoutIp)
  })

  it('allows socket pairs that cannot reach other sockets', () => {
    const [cloexec, nonblock] = [0x80000, 0x800]
    for (const type of [1, 5]) {
      expect(judge('socketpair', [1, type, 0])).toBe('allow')
      expect(judge('socketpair', [1, type | cloexec | nonblock, 0])).toBe('allow')
    }
    // A datagram socket of a pair can be connected anew, and SOCK_RAW makes one, too.
    for (const type of [0, 2, 3, 4, 10]) {
      expect(judge('socketpair', [1, type, 0])).toBe('EPERM')
      expect(judge('socketpair', [1, BigInt(type | cloexec) | high, 0])).toBe('EPERM')
      expect(judge('socketpair', [1, type, 0], { unixSockets: true })).toBe('allow')
    }
  })

  it('refuses to type into a terminal or take it over, even with bits that the kernel ignores', () => {
    for (const request of [0x5412, 0x541c, 0x5423]) {
      expect(judge('ioctl', [0, request, 0])).toBe('EPERM')
      expect(judge('ioctl', [0, BigInt(request) | high, 0])).toBe('EPERM')
      expect(judge('ioctl', [0, BigInt(request) | (0xffffffffn << 32n), 0])).toBe('EPERM')
    }
    // TCGETS, TIOCSCTTY, TIOCGWINSZ, FIONREAD
    for (const request of [0x5401, 0x540e, 0x5413, 0x541b]) expect(judge('ioctl', [0, request, 0])).toBe('allow')
  })

  it('allows querying and resetting the personality, but not making readable memory executable', () => {
    for (const value of [0, 8, 0x40000, 0xffffffff]) expect(judge('personality', [value])).toBe('allow')
    for (const value of [0x400000, 0x440000, 0x100000, 0x200000, 1, -2])
      expect(judge('personality', [value])).toBe('EPERM')
    expect(judge('personality', [0x400000n | high])).toBe('EPERM')
  })

  it('has a verdict on any call', () => {
    const filter = seccompFilter({ arch, unixSockets: false })
    const word = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n })
    fc.assert(
      fc.property(fc.oneof(fc.nat(600), fc.nat(0xffffffff)), fc.array(word, { maxLength: 6 }), (number, args) => {
        const verdict = runFilter(filter, { arch: audit[arch], number, args })
        if (number > 466) expect(verdict).not.toBe('allow')
      }),
    )
  })
})

describe('the tables', () => {
  it('differ by the calls that only one processor has', () => {
    const missing = Object.keys(x64Calls).filter((name) => !(name in arm64Calls))
    expect(missing.sort()).toEqual([
      '_sysctl',
      'chmod',
      'chown',
      'creat',
      'create_module',
      'get_kernel_syms',
      'ioperm',
      'iopl',
      'lchown',
      'mknod',
      'modify_ldt',
      'open',
      'query_module',
      'uselib',
    ])
    expect(Object.keys(arm64Calls).filter((name) => !(name in x64Calls))).toEqual([])
  })

  it.each(Object.entries(tables))('hold no number twice (%s)', (_, table) => {
    const numbers = Object.values(table)
    expect(new Set(numbers).size).toBe(numbers.length)
  })

  it('exist for two processors', () => {
    expect(['x64', 'arm64', 'ia32', 'arm', 'riscv64', 'toString'].filter(isFilterArch)).toEqual(['x64', 'arm64'])
  })
})
