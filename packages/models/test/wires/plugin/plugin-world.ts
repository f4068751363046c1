import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openHost } from '@parley/host'
import { build } from 'esbuild'
import type { PluginPorts } from '../../../src/port/client-ports.ts'
import type { ModelClient } from '../../../src/port/model-client.ts'
import type { Env, Provider } from '../../../src/port/provider.ts'
import { createModelClient } from '../../../src/registry.ts'
import { providerAt } from '../../support/requests.ts'

export interface PluginWorld extends AsyncDisposable {
  readonly plugins: PluginPorts
  /** Puts a package in its folder as `parley provider add` does. */
  install(name: string, source: string): void
  remove(name: string): void
  /** The same for a real package, in one file. */
  installReal(name: string): Promise<void>
  client(name: string, more?: Partial<Provider>, env?: Env, keptKey?: () => string | undefined): ModelClient
}

/** Real packages in one file each, made once. */
const bundles = new Map<string, Promise<string>>()

async function bundled(name: string): Promise<string> {
  const stdin = { contents: `export * from '${name}'`, resolveDir: import.meta.dirname }
  const built = await build({ stdin, bundle: true, platform: 'node', format: 'esm', write: false, logLevel: 'error' })
  return built.outputFiles[0]?.text ?? ''
}

/** A folder of installed packages and a real host whose processes run them. */
export function pluginWorld(): PluginWorld {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'parley-plugins-')))
  const host = openHost()
  const program = fileURLToPath(new URL('../../../assets/plugin-host.mjs', import.meta.url))
  const placeOf = (name: string) => join(folder, name.replace('/', '+'))
  const plugins: PluginPorts = { host, program, folderOf: placeOf }
  return {
    plugins,
    install(name, source) {
      mkdirSync(placeOf(name), { recursive: true })
      writeFileSync(join(placeOf(name), 'entry.mjs'), source)
    },
    remove: (name) => rmSync(placeOf(name), { recursive: true }),
    async installReal(name) {
      const bundle = bundles.get(name) ?? bundled(name)
      bundles.set(name, bundle)
      this.install(name, await bundle)
    },
    client(name, more = {}, env = {}, keptKey = () => undefined) {
      const provider = { ...providerAt('', { package: name, ...more }), wireApi: 'plugin' } as const
      return createModelClient(provider, { env, keptKey, plugins })
    },
    async [Symbol.asyncDispose]() {
      await host.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** A package whose model does what `doStream` says; it has the settings, the request and the signal. */
export const packageWith = (doStream: string, version = 'v3') => `
const streamOf = (parts) => ReadableStream.from(parts)
const finish = { type: 'finish', finishReason: { unified: 'stop' }, usage: { inputTokens: { total: 3 }, outputTokens: { total: 2 } } }
const said = (text) => ({ stream: streamOf([
  { type: 'text-start', id: '0' }, { type: 'text-delta', id: '0', delta: text }, { type: 'text-end', id: '0' }, finish,
]) })
export const createFake = (settings) => ({
  languageModel: (modelId) => ({ specificationVersion: '${version}', async doStream(options) { ${doStream} } }),
})`
