import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createCredentialStore } from '@parley/credentials/src/credential-store.ts'
import { createProviderKeys } from '@parley/credentials/src/provider-keys.ts'
import { noSandboxes, openHost } from '@parley/host'
import { nodeFiles } from '@parley/journal'
import type { ModelFacts } from '@parley/models'
import { createShellParser, type ShellParser } from '@parley/policy'
import { shellParserFiles } from '@parley/policy/testing'
import { createRedaction } from '@parley/redaction'
import { diskFiles, diskPatchFiles, secretPaths } from '@parley/workspace'
import { rgPath } from '@vscode/ripgrep'
import type { EngineChoices, EngineParts, EngineTimes, ProviderParts } from '../../src/engine-parts.ts'
import { configuredFetch } from '../../src/login/configured-fetch.ts'
import { randomIds, systemClock } from '../../src/ports/clock-and-ids.ts'
import { createTextSearch } from '../../src/search/text-search.ts'
import { unknownModel } from '../../src/settings/facts-of-model.ts'
import { type ScriptedModel, scriptedModel } from './scripted-model.ts'

/** Parts of an engine without an order, so that a test names those that it replaces. */
type FlatParts = Omit<EngineParts, 'machine' | 'providers' | 'times'> &
  EngineParts['machine'] &
  ProviderParts &
  EngineTimes

export type TestPorts = Partial<FlatParts> &
  EngineChoices & {
    readonly model?: ScriptedModel
    /** Models of other providers, by id. */
    readonly others?: Readonly<Record<string, ScriptedModel>>
    /** Facts of the models besides a context window of 1,000 tokens. */
    readonly facts?: Partial<ModelFacts> | ((model: string) => Partial<ModelFacts>)
  }

/** Parser of all servers of a file: each would keep a grammar of its own, and a fork costs by the pages of its parent. */
const parser = createShellParser(shellParserFiles)
const shellParser: ShellParser = { read: (script) => parser.read(script), [Symbol.dispose]: () => undefined }

/** Returns the parts of a server over the real system, except the model and the given ports. */
export function testParts(
  root: string,
  { model = scriptedModel(), others = {}, facts = {}, ...ports }: TestPorts = {},
): EngineParts & EngineChoices {
  const home = join(root, '.parley')
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const sources = { fake: model, ...others }
  const redaction = createRedaction({ home, env: ports.env ?? {} })
  const credentials = createCredentialStore({ home, keyring: () => null })
  const send = configuredFetch(home, ports.env ?? {})
  const flat: FlatParts & EngineChoices = {
    identity: { serverInfo: { name: 'parley', version: 'test', build: 'test' }, home },
    home,
    userHome: root,
    env: { PATH: process.env['PATH'], HOME: root },
    clock: systemClock,
    ids: randomIds,
    random: () => 0.5,
    redaction,
    credentials,
    keys: createProviderKeys({ store: credentials, redaction, clock: ports.clock ?? systemClock, fetch: send }),
    fetch: send,
    files: nodeFiles,
    search: createTextSearch({ files: ports.files ?? nodeFiles, home }),
    patchFiles: diskPatchFiles,
    host: openHost(),
    sandboxes: noSandboxes('Tests have no sandbox.'),
    shellParser,
    secrets: () => secretPaths({ home: root, parleyHome: home }, diskFiles),
    ripgrep: rgPath,
    shell: '/bin/sh',
    models: () => (providerId) => ({
      client: (Object.entries(sources).find(([id]) => id === providerId)?.[1] ?? model).client,
      limits: { requestMaxRetries: 2, streamMaxRetries: 2 },
      factsOf: (model) => ({
        ...unknownModel,
        contextWindow: 1000,
        ...(typeof facts === 'function' ? facts(model) : facts),
      }),
      maxOutputOf: () => undefined,
    }),
    writeLog: () => undefined,
    ...ports,
  }
  return {
    ...flat,
    machine: flat,
    providers: flat,
    times: ports,
  }
}
