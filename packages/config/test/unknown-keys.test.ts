import { describe, expect, it } from 'vitest'
import { layerOfOverrides } from '../src/layer.ts'

const read = (config: Record<string, string>) => layerOfOverrides(config, '-c')

describe('a configuration of Codex', () => {
  it.each([
    ['web_search', 'web_search'],
    ['features.web', 'features'],
    ['tools.view_image', 'tools'],
    ['sandbox_workspace_write.exclude_slash_tmp', 'sandbox_workspace_write.exclude_slash_tmp'],
  ])('may have %s, which has no effect', (key, named) => {
    expect(read({ [key]: 'true' }).warnings).toEqual([`-c: "${named}" has no effect in parley.`])
  })

  it('names places of secrets in the file only, which counts for all conversations', () => {
    const { values, warnings } = read({ 'secrets.paths': '["/srv/keys"]', model: 'm' })
    expect(values).toEqual({ model: 'm' })
    expect(warnings).toEqual(['-c: "secrets" is ignored: only $PARLEY_HOME/config.toml can name places of secrets.'])
    expect(() => read({ 'secrets.paths': '["keys"]' })).toThrow('must be an absolute path or begin with ~/')
  })

  it('causes a warning for each mistyped key', () => {
    expect(read({ web_serach: '"live"', 'sandbox_workspace_write.writable_root': '[]' }).warnings).toEqual([
      expect.stringContaining('unknown key "web_serach"'),
      expect.stringContaining('Did you mean "writable_roots"?'),
    ])
  })

  it('may quote the parts of a key that have dots', () => {
    const { values, warnings } = read({
      'model_providers."a.b".name': '"A"',
      "projects.'/home/me.too'.trust_level": '"trusted"',
    })
    expect(values.model_providers).toEqual({ 'a.b': { name: 'A' } })
    expect(warnings).toEqual(['-c: "projects" has no effect in parley.'])
  })

  it('may use the names that Codex gives to the headers of a provider', () => {
    const { values, warnings } = read({
      'model_providers.x.http_headers': '{ "x-a" = "1" }',
      'model_providers.x.env_http_headers': '{ "x-b" = "B" }',
    })
    expect(values.model_providers).toEqual({ x: { headers: { 'x-a': '1' }, env_headers: { 'x-b': 'B' } } })
    expect(warnings).toEqual([])
  })
})
