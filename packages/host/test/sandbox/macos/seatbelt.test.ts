import { describe, expect, it } from 'vitest'
import { prepareSeatbelt, seatbeltProfile } from '../../../src/sandbox/macos/seatbelt.ts'
import type { SandboxLimits } from '../../../src/sandbox/sandbox.ts'

const workspaceWrite: SandboxLimits = {
  mode: 'workspace-write',
  writableRoots: ['/Users/ann/project', '/Users/ann/other "quoted)'],
  network: false,
  unixSockets: false,
  masked: ['/Users/ann/.ssh', '/Users/ann/project/.env'],
  scratch: '/private/tmp/scratch',
}

const none = { kept: [], missing: [], writable: [] }
const places = {
  scratch: '/private/tmp/scratch',
  guarded: {
    kept: ['/Users/ann/project/.git'],
    missing: ['/Users/ann/project/.parley'],
    writable: ['/Users/ann/project/.git/tree'],
  },
}

/** Profiles are compared as texts, because `sandbox-exec` does not exist on Linux. */
describe('the profile for macOS', () => {
  it.each<[string, Partial<SandboxLimits>]>([
    ['workspace-write', {}],
    ['read-only', { mode: 'read-only', masked: [] }],
    ['network', { network: true, unixSockets: true }],
  ])('matches its reviewed text: %s', async (name, more) => {
    const limits = { ...workspaceWrite, ...more }
    const { text } = seatbeltProfile(limits, limits.mode === 'read-only' ? { ...places, guarded: none } : places)
    await expect(text).toMatchFileSnapshot(`golden/${name}.sb`)
  })

  it('has parameters in place of paths in its text', () => {
    const { text, parameters } = seatbeltProfile(workspaceWrite, places)
    expect(text).not.toContain('/Users')
    expect(text).not.toContain('/private')
    expect(parameters).toEqual({
      MASKED_0: '/Users/ann/.ssh',
      MASKED_1: '/Users/ann/project/.env',
      SCRATCH_0: '/private/tmp/scratch',
      ROOT_0: '/Users/ann/project',
      ROOT_1: '/Users/ann/other "quoted)',
      KEPT_0: '/Users/ann/project/.git',
      KEPT_1: '/Users/ann/project/.parley',
      WORK_0: '/Users/ann/project/.git/tree',
    })
    const used = [...text.matchAll(/\(param "(\w+)"\)/g)].map(([, name]) => name)
    expect(new Set(used)).toEqual(new Set(Object.keys(parameters)))
  })

  it('denies by default first, and protected paths after allowed ones', () => {
    const { text } = seatbeltProfile(workspaceWrite, places)
    const at = (part: string) => {
      expect(text).toContain(part)
      return text.indexOf(part)
    }
    expect(at('(deny default)')).toBeLessThan(at('(allow file-read*)'))
    expect(at('(allow file-read*)')).toBeLessThan(at('(deny file-read* file-write* (subpath (param "MASKED_0"))'))
    expect(at('(deny file-read* file-write* (subpath (param "MASKED_0"))')).toBeLessThan(at('(param "ROOT_0")'))
    // A masked path within a root is denied again after the root was allowed.
    expect(text.lastIndexOf('MASKED_1')).toBeGreaterThan(at('(param "ROOT_0")'))
    expect(text.lastIndexOf('MASKED_0')).toBeLessThan(at('(param "ROOT_0")'))
    expect(at('[gG][iI][tT]')).toBeGreaterThan(at('(param "ROOT_0")'))
    expect(text).not.toMatch(/network|system-socket/)
  })

  it('matches names in either case, as whole parts of a path', () => {
    const { text } = seatbeltProfile(workspaceWrite, places)
    const patterns = [...text.matchAll(/\(regex #"([^"]+)"\)/g)].map(([, source]) => new RegExp(source ?? ''))
    const matches = (path: string) => patterns.filter((pattern) => pattern.test(path)).length
    for (const path of [
      '/p/.git',
      '/p/.GIT/config',
      '/p/a/.git/hooks/x',
      '/p/.Parley/x',
      '/p/.mcp.json',
      '/p/.ENVRC',
    ]) {
      expect(matches(path)).toBe(1)
    }
    for (const path of ['/p/.gitignore', '/p/x.git', '/p/xgit', '/p/.mcp_json', '/p/.envrc.sample'])
      expect(matches(path)).toBe(0)
  })

  it('wraps a command without a shell, with a folder for temporary files', async () => {
    const sandbox = await prepareSeatbelt(workspaceWrite, {
      program: '/usr/bin/sandbox-exec',
      host: { home: '/Users/ann' },
    })
    const wrapped = sandbox.wrap({ argv: ['/bin/echo', '-n', 'a b'], cwd: '/', env: { A: '1', TMPDIR: '/tmp' } })
    expect(wrapped.argv.slice(0, 2)).toEqual(['/usr/bin/sandbox-exec', '-p'])
    expect(wrapped.argv).toContain('ROOT_1=/Users/ann/other "quoted)')
    expect(wrapped.argv.slice(wrapped.argv.indexOf('--'))).toEqual(['--', '/bin/echo', '-n', 'a b'])
    expect(wrapped.env).toMatchObject({ A: '1', TMPDIR: '/private/tmp/scratch' })
    sandbox.release?.()
  })
})
