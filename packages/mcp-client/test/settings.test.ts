import { describe, expect, it } from 'vitest'
import { identityOf, isOffered, mcpSettings } from '../src/settings.ts'

const one = (section: object, cwd = '/work') => {
  const [settings] = mcpSettings({ mcp_servers: { x: section } }, cwd)
  if (settings === undefined) throw new Error('no settings')
  return settings
}

describe('the settings of an MCP server', () => {
  it('have their defaults', () => {
    expect(one({ command: 'npx', args: ['-y', 'some-server'] })).toMatchObject({
      enabled: true,
      launch: { kind: 'stdio', argv: ['npx', '-y', 'some-server'], env: {}, cwd: '/work' },
      startupTimeoutMs: 10_000,
      toolTimeoutMs: 60_000,
    })
  })

  it('name the variables that a server of the user gets, and none for one that a project configures', () => {
    const section = { command: 'a', env_vars: ['TOKEN'] }
    expect(one(section).launch).toMatchObject({
      envVars: expect.arrayContaining(['TOKEN', 'HTTPS_PROXY', 'no_proxy', 'NODE_EXTRA_CA_CERTS']),
    })
    const limits = { root: '/work', rootIdentity: null, mode: 'read-only', network: false } as const
    const sandboxed = new Map([['x', { ...limits, mayRunUnsandboxed: false, programs: [] }]])
    const [ofProject] = mcpSettings({ mcp_servers: { x: section } }, '/work', sandboxed)
    expect(ofProject?.launch).toMatchObject({ envVars: [] })
  })

  it('resolve a folder relative to that of the conversation', () => {
    expect(one({ command: 'a', cwd: 'sub' }).launch).toMatchObject({ cwd: '/work/sub' })
  })

  it.each([{}, { command: 'a', url: 'http://localhost/mcp' }])(
    '%j says what it lacks instead of a launch',
    (section) => {
      expect(one(section).launch).toMatchObject({ kind: 'none', problem: expect.stringContaining('command and url') })
    },
  )

  it('are the same server for two conversations only when all values are equal', () => {
    expect(identityOf(one({ command: 'a' }))).toBe(identityOf(one({ command: 'a' })))
    expect(identityOf(one({ command: 'a' }))).not.toBe(identityOf(one({ command: 'a' }, '/other')))
    expect(identityOf(one({ command: 'a' }))).not.toBe(identityOf(one({ command: 'a', disabled_tools: ['t'] })))
  })

  it('list the tools to offer and those to omit', () => {
    expect(isOffered(one({ command: 'a', enabled_tools: ['t', 'u'], disabled_tools: ['u'] }), 't')).toBe(true)
    expect(isOffered(one({ command: 'a', enabled_tools: ['t', 'u'], disabled_tools: ['u'] }), 'u')).toBe(false)
    expect(isOffered(one({ command: 'a', enabled_tools: ['t'] }), 'v')).toBe(false)
    expect(isOffered(one({ command: 'a' }), 'v')).toBe(true)
  })
})
