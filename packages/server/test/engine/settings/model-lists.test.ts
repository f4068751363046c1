import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unknownModel } from '@parley/engine/src/settings/facts-of-model.ts'
import { keptFacts } from '@parley/engine/src/settings/kept-lists.ts'
import { listModels } from '@parley/engine/src/settings/model-lists.ts'
import { providerOf } from '@parley/engine/src/settings/model-sources.ts'
import { listProviders } from '@parley/engine/src/settings/provider-list.ts'
import { nodeFiles } from '@parley/journal'
import type { ModelListing } from '@parley/models'
import { describe, expect, it } from 'vitest'

const config = `model_provider = "mine"
model = "m1"
[model_providers.mine]
base_url = "http://127.0.0.1:9/v1?key=secret-value"
`
const down: ModelListing = { type: 'failed', failure: { code: 'unreachable', message: 'It is down.', retry: 'short' } }

const settings = { base_url: 'http://127.0.0.1:9/v1?key=secret-value' }
const mine = providerOf('mine', { model_providers: { mine: settings } }, {}) ?? (null as never) // narrowed: it is configured

function place() {
  const home = mkdtempSync(join(tmpdir(), 'parley-lists-'))
  writeFileSync(join(home, 'config.toml'), config)
  let asked = 0
  const answers: ModelListing[] = []
  const client = {
    adapter: 'fake',
    async *stream() {},
    listModels: () => {
      asked += 1
      return Promise.resolve(answers.shift() ?? down)
    },
  }
  const source = {
    client,
    limits: { requestMaxRetries: 0, streamMaxRetries: 0 },
    factsOf: () => unknownModel,
    maxOutputOf: () => undefined,
  }
  const env: Record<string, string> = {}
  const keys = { kept: () => new Set<string>(), keyOf: () => Promise.resolve(null), learn: () => Promise.resolve() }
  const ports = { home, env, keys, files: nodeFiles, models: () => () => source }
  return {
    answers,
    env,
    home,
    asked: () => asked,
    facts: keptFacts(mine, home),
    list: (kept: boolean, nowMs: number) => listModels({ provider: 'mine', kept }, ports, () => nowMs),
    providers: () => listProviders({ ...ports, redaction: { text: (text: string) => text } as never }), // narrowed: only `text` is used
    [Symbol.dispose]: () => rmSync(home, { recursive: true }),
  }
}

describe('the list of models of a provider', () => {
  it('of a package without one is a problem that says what to do, and nothing is kept', async () => {
    using at = place()
    writeFileSync(join(at.home, 'config.toml'), 'model_provider = "mine"\n[model_providers.mine]\npackage = "p"\n')
    at.answers.push({ type: 'unlisted' })
    const problems = [{ provider: 'mine', message: 'It has no list of models: write the name of one.' }]
    expect(await at.list(false, 5_000)).toMatchObject({ models: [], lists: [], problems })
    const own = at.providers().providers.find(({ id }) => id === 'mine')
    expect(own).toMatchObject({ wire: 'plugin', package: { name: 'p', installed: false } })
    expect(own).not.toHaveProperty('models')
  })

  it('of a package that has one is kept as any other, for this package alone', async () => {
    using at = place()
    const packageNamed = (name: string) =>
      writeFileSync(
        join(at.home, 'config.toml'),
        `model_provider = "mine"\n[model_providers.mine]\npackage = "${name}"\n`,
      )
    packageNamed('p')
    mkdirSync(join(at.home, 'providers', 'p'), { recursive: true })
    writeFileSync(join(at.home, 'providers', 'p', 'entry.mjs'), '')
    at.answers.push({ type: 'models', models: ['m1'] })
    await at.list(false, 5_000)
    const own = at.providers().providers.find(({ id }) => id === 'mine')
    expect(own).toMatchObject({ models: 1, listedAt: 5_000, package: { name: 'p', installed: true } })
    packageNamed('other')
    expect((await at.list(true, 6_000)).models).toEqual([])
  })

  it('is kept with its time, and comes back without asking', async () => {
    using at = place()
    expect((await at.list(true, 0)).models).toEqual([])
    at.answers.push({ type: 'models', models: ['m1', 'm2'] })
    await at.list(false, 5_000)
    const kept = await at.list(true, 9_000)
    expect(kept.models).toEqual([
      { provider: 'mine', id: 'm1', current: true },
      { provider: 'mine', id: 'm2', current: false },
    ])
    expect(kept.lists).toEqual([{ provider: 'mine', listedAt: 5_000 }])
    expect(at.asked()).toBe(1)
  })

  it('stays when the provider fails later, and the problem says from when it is', async () => {
    using at = place()
    at.answers.push({ type: 'models', models: ['m1'] })
    await at.list(false, 0)
    const { models, problems } = await at.list(false, 60_000)
    expect(models.map(({ id }) => id)).toEqual(['m1'])
    expect(problems).toEqual([{ provider: 'mine', message: 'It is down. The list of 1970-01-01 00:00 UTC is shown.' }])
  })

  it('is kept in a file of the user alone, without the address of the provider', async () => {
    using at = place()
    at.answers.push({ type: 'models', models: ['m1'] })
    await at.list(false, 0)
    const [name = '', ...more] = readdirSync(join(at.home, 'models'))
    expect(more).toEqual([])
    expect(statSync(join(at.home, 'models', name)).mode & 0o777).toBe(0o600)
    expect(name + readFileSync(join(at.home, 'models', name), 'utf8')).not.toContain('secret-value')
  })

  it('keeps what it says of its models, as it is in the newest list', async () => {
    using at = place()
    expect(at.facts('m1')).toEqual({})
    at.answers.push({ type: 'models', models: ['m1', 'm2'], facts: { m1: { contextWindow: 32_000 } } })
    await at.list(false, 0)
    expect([at.facts('m1'), at.facts('m2'), at.facts('toString')]).toEqual([{ contextWindow: 32_000 }, {}, {}])
    at.answers.push({ type: 'models', models: ['m1'], facts: { m1: { contextWindow: 64_000, outputLimit: 8_000 } } })
    await at.list(false, 1)
    expect(at.facts('m1')).toEqual({ contextWindow: 64_000, outputLimit: 8_000 })
  })

  it('in a file that was changed has no facts that cannot be true', async () => {
    using at = place()
    at.answers.push({ type: 'models', models: ['m1'] })
    await at.list(false, 0)
    const [name = ''] = readdirSync(join(at.home, 'models'))
    const facts = { m1: { contextWindow: 1e12, outputLimit: 8_000, price: { input: -1, output: 1 } }, m2: 7 }
    writeFileSync(join(at.home, 'models', name), JSON.stringify({ listedAt: 0, models: ['m1', 'm2'], facts }))
    expect([at.facts('m1'), at.facts('m2')]).toEqual([{ outputLimit: 8_000 }, {}])
  })

  it('is asked for anew where the file is damaged', async () => {
    using at = place()
    at.answers.push({ type: 'models', models: ['m1'] })
    await at.list(false, 0)
    const [name = ''] = readdirSync(join(at.home, 'models'))
    writeFileSync(join(at.home, 'models', name), '{"listedAt"')
    expect((await at.list(true, 0)).models).toEqual([])
  })
})

describe('the list of providers', () => {
  it('has the ready-made ones, then the configured, and the reason of the choice', () => {
    using at = place()
    const { providers, chosen } = at.providers()
    expect(providers.slice(0, 2).map(({ id, key }) => [id, key])).toEqual([
      ['openai', 'missing'],
      ['anthropic', 'missing'],
    ])
    expect(providers.at(-1)).toMatchObject({ id: 'mine', origin: 'configured', key: 'notNeeded', chosen: true })
    expect(chosen).toEqual({ provider: 'mine', model: 'm1', because: 'model_provider names it' })
  })

  it('says by which variable the first key is set, and never its value', () => {
    using at = place()
    writeFileSync(join(at.home, 'config.toml'), '')
    at.env['GOOGLE_API_KEY'] = 'google-secret-key'
    const listed = at.providers()
    expect(listed.chosen).toMatchObject({ provider: 'google', because: 'GOOGLE_API_KEY is the first key that is set' })
    expect(listed.providers.find(({ id }) => id === 'google')).toMatchObject({ key: 'set', keyFrom: 'GOOGLE_API_KEY' })
    expect(JSON.stringify(listed)).not.toContain('google-secret-key')
  })

  it('chooses none without a key or a configured provider', () => {
    using at = place()
    writeFileSync(join(at.home, 'config.toml'), '')
    expect(at.providers().chosen).toBeNull()
  })
})
