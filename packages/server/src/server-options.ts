import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { homeFolder } from './home-folder.ts'

/** What a server is started with. */
export interface ServerOptions {
  /** `$PARLEY_HOME`. */
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly version: string
  readonly build: string
  /** Recorded text streams at reading pace. */
  readonly paced: boolean
  /** Where models' words are written down, for `--record`. */
  readonly recordTo: string | null
  /** Sockets that it listens on besides the one in the run folder: commands must not reach them either. */
  readonly sockets: readonly string[]
  readonly assets: {
    readonly shellParser: { readonly runtimeWasm: string; readonly grammarWasm: string }
    readonly ripgrep: string
    readonly recordings: { readonly demo: string; readonly unconfigured: string }
  }
}

/** Files that come with the program lie beside `moduleUrl`. */
export function readServerOptions(
  {
    paced,
    recordTo,
    sockets = [],
  }: Pick<ServerOptions, 'paced' | 'recordTo'> & Partial<Pick<ServerOptions, 'sockets'>>,
  env: ServerOptions['env'],
  built: { moduleUrl: string; version: string; build: string; ripgrep: string },
): ServerOptions {
  const folder = dirname(fileURLToPath(built.moduleUrl))
  return {
    home: homeFolder(env),
    env,
    version: built.version,
    build: built.build,
    paced,
    recordTo,
    sockets,
    assets: {
      shellParser: {
        runtimeWasm: join(folder, 'web-tree-sitter.wasm'),
        grammarWasm: join(folder, 'tree-sitter-bash.wasm'),
      },
      ripgrep: built.ripgrep,
      recordings: {
        demo: join(folder, 'assets', 'demo.jsonl'),
        unconfigured: join(folder, 'assets', 'unconfigured.jsonl'),
      },
    },
  }
}
