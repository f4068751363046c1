import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Config, ConfigError, readEffectiveConfig } from '@parley/config'
import { createCredentialStore, createProviderKeys, openKeyring, systemFolders } from '@parley/credentials'
import {
  configuredFetch,
  createModelSources,
  createSearchThread,
  type EngineParts,
  randomIds,
  systemClock,
} from '@parley/engine'
import { openHost, openSandboxes, type Sandboxes } from '@parley/host'
import { nodeFiles } from '@parley/journal'
import { createShellParser } from '@parley/policy'
import { createRedaction, type Redaction } from '@parley/redaction'
import { homeFolder, makeHomePrivate, openServerLog, ownRunFolders, stateFolder, userPlaces } from '@parley/serving'
import {
  currentSecrets,
  diskFiles,
  diskPatchFiles,
  ownFiles,
  ownPrograms,
  secretPaths,
  tokenFilePath,
} from '@parley/workspace'
import { rgPath } from '@vscode/ripgrep'
import { pluginPorts } from './plugin-ports.ts'

interface ServerOptions {
  /** `$PARLEY_HOME`. */
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly version: string
  readonly build: string
  /** True when recorded text streams at reading pace. */
  readonly paced: boolean
  /** File for recorded model responses, of `--record`; null for no recording. */
  readonly recordTo: string | null
  /** Further sockets and files of tokens of this server, which commands must not reach either. */
  readonly hidden: readonly string[]
  readonly assets: {
    readonly shellParser: { readonly runtimeWasm: string; readonly grammarWasm: string }
    readonly ripgrep: string
    readonly recordings: { readonly demo: string; readonly unconfigured: string }
    /** Program that runs a package of a provider. */
    readonly pluginHost: string
    /** Program that reads the stack of a blocked event loop. */
    readonly stackReader: string
    /** Program of the thread that searches. */
    readonly search: string
    /** Folder of the page for browsers. */
    readonly page: string
  }
}

/** Version of a program, and the place of what comes with it. */
export interface BuiltProgram {
  /** URL of a module in the folder of the files that come with the program. */
  readonly moduleUrl: string
  readonly version: string
  readonly build: string
}

/** Returns the options. Files that come with the program lie beside `moduleUrl`. */
export function readServerOptions(
  { paced, recordTo, hidden = [] }: Pick<ServerOptions, 'paced' | 'recordTo'> & Partial<Pick<ServerOptions, 'hidden'>>,
  env: ServerOptions['env'],
  built: BuiltProgram,
): ServerOptions {
  const folder = dirname(fileURLToPath(built.moduleUrl))
  return {
    home: homeFolder(env),
    env,
    version: built.version,
    build: built.build,
    paced,
    recordTo,
    hidden,
    assets: {
      shellParser: {
        runtimeWasm: join(folder, 'web-tree-sitter.wasm'),
        grammarWasm: join(folder, 'tree-sitter-bash.wasm'),
      },
      ripgrep: rgPath,
      recordings: {
        demo: join(folder, 'assets', 'demo.jsonl'),
        unconfigured: join(folder, 'assets', 'unconfigured.jsonl'),
      },
      pluginHost: join(folder, 'assets', 'plugin-host.mjs'),
      stackReader: join(folder, 'assets', 'stack-reader.mjs'),
      search: join(folder, 'search.mjs'),
      page: join(folder, 'web'),
    },
  }
}

/** Returns the parts of a server that use the real system; tests replace some of them. */
export function systemParts(options: ServerOptions): EngineParts {
  const { home, env, assets } = options
  const redaction = createRedaction({ home, env })
  learnMisplaced(home, redaction)
  const log = openServerLog(home, redaction.text)
  reportPrivacy(makeHomePrivate(home), log.write)
  const own = () => ownFiles(home)
  const userHome = env['HOME'] ?? homedir()
  const runFolders = [...ownRunFolders(env), ...options.hidden]
  const places = userPlaces(userHome, env)
  const secrets = currentSecrets({
    homes: [places.home, ...places.otherHomes],
    added: () => addedPlaces(home, userHome),
    find: (added) => secretPaths({ ...places, parleyHome: home, own: own(), runFolders, added }, diskFiles),
    files: diskFiles,
  })
  const host = openHost({ notes: stateFolder(home) })
  const sandboxes = sandboxesOf(options, (sentences) => log.write(sentences.join(' ')))
  const plugins = pluginPorts({ host, home, program: assets.pluginHost, sandboxes, secrets })
  const credentials = createCredentialStore({
    home,
    keyring: () => openKeyring({ host, env, home, platform: process.platform, folders: systemFolders }),
  })
  const send = configuredFetch(home, env)
  const keys = createProviderKeys({ store: credentials, redaction, clock: systemClock, fetch: send })
  // Every conversation waits for them when it opens.
  secrets().catch(() => undefined)
  return {
    identity: { serverInfo: { name: 'parley', version: options.version, build: options.build }, home },
    machine: {
      host,
      sandboxes,
      shell: existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh',
      home,
      userHome,
      env,
      patchFiles: diskPatchFiles,
      ripgrep: assets.ripgrep,
      secrets,
    },
    clock: systemClock,
    ids: randomIds,
    random: Math.random,
    redaction,
    files: nodeFiles,
    search: createSearchThread({ files: nodeFiles, home, program: assets.search }),
    shellParser: createShellParser(assets.shellParser),
    providers: {
      credentials,
      keys,
      fetch: send,
      models: (config) =>
        createModelSources(config, {
          home,
          env,
          keys,
          clock: systemClock,
          recordings: assets.recordings,
          plugins,
          paced: options.paced,
          recordTo: options.recordTo,
          redact: redaction.text,
          onProblem: (problem) => log.write(String(problem)),
        }),
    },
    writeLog: log.write,
  }
}

function sandboxesOf(
  { home, env, build }: ServerOptions,
  onExchanged: (sentences: readonly string[]) => void,
): Sandboxes {
  const own = () => ownFiles(home)
  const cacheFile = join(stateFolder(home), 'sandbox.json')
  return openSandboxes({ cacheFile, build, env, own, programs: () => ownPrograms(home), onExchanged })
}

/** Makes redaction know the keys that stand in the user's own configuration where names belong, before anything is said. */
function learnMisplaced(home: string, redaction: Pick<Redaction, 'learn'>): void {
  try {
    redaction.learn(readEffectiveConfig({ home, isWhole: true }).misplaced)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
  }
}

/** Returns the places of secrets in the user's own configuration, files of tokens among them; null when it cannot be read. */
function addedPlaces(home: string, userHome: string): readonly string[] | null {
  try {
    const { secrets, environments, store = {}, users_file: users } = readEffectiveConfig({ home, isWhole: true }).values
    const tokens = Object.values(environments ?? {}).flatMap(({ token_file: file }) => file ?? [])
    return [
      ...(secrets?.paths ?? []).map((path) => resolve(userHome, path.replace(/^~\//, ''))),
      ...(users === undefined ? [] : [users]),
      ...filesOf(store),
      ...tokens.map((file) => tokenFilePath(file, { home, userHome })),
    ]
  } catch (error) {
    if (error instanceof ConfigError) return null
    throw error
  }
}

/** Returns the files of secrets that open a store. */
function filesOf(store: Partial<NonNullable<Config['store']>>): readonly string[] {
  return [store.credentials_file, store.password_file, store.key_file].flatMap((file) => file ?? [])
}

function reportPrivacy(sentence: string | null, write: (line: string) => void): void {
  if (sentence === null) return
  write(sentence)
  process.stderr.write(`parley: ${sentence}\n`)
}
