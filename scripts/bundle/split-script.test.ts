import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'
import { type BuildOptions, type BuildResult, build } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { builtinModules } from './builtin-modules.mjs'
import { inkStartUp } from './ink-start-up.mjs'
import { laterOfServer, laterOfTerminal } from './later-scripts.mjs'
import { root } from './places.mjs'
import { splitScript } from './split-script.mjs'
import { trimPackages } from './trim-packages.mjs'

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  jsx: 'automatic',
  outdir: 'dist',
  write: false,
  logLevel: 'silent',
  define: { 'process.env.NODE_ENV': '"production"' },
} as const

const bundled = (name: string, { plugins = [], ...options }: BuildOptions) =>
  build({
    ...common,
    ...options,
    metafile: true,
    entryNames: name,
    conditions: ['@parley/source'],
    plugins: [...plugins, builtinModules(), inkStartUp(), trimPackages()],
  })

const programs = [
  {
    program: 'a server',
    entry: 'packages/server/src/programs/server/start.ts',
    later: laterOfServer,
    unread: {
      '@modelcontextprotocol/client': 'server-mcp-client',
      '@modelcontextprotocol/server': 'server-json-schema',
      'web-tree-sitter': 'server-shell-parser',
      ws: 'server-websocket',
      oauth4webapi: 'server-login',
    },
  },
  {
    program: 'a command',
    entry: 'apps/tui/src/main.ts',
    later: laterOfTerminal,
    unread: {
      ink: 'parley-terminal',
      react: 'parley-terminal',
      marked: 'parley-terminal',
      'highlight.js': 'parley-terminal',
      zod: 'parley-schema',
      ws: 'parley-websocket',
    },
  },
]

describe.each(programs)('the start of $program', ({ entry, later, unread }) => {
  const built = splitScript('start', join(root, entry), later, bundled)

  test('reads no package that few runs need', async () => {
    const { first, rest } = await built
    const scripts = Object.entries(rest)
    const readers = Object.keys(unread).map((name) => [name, scripts.filter(([, one]) => has(one, name)).map(nameOf)])
    expect(Object.keys(unread).filter((name) => has(first, name))).toEqual([])
    expect(Object.fromEntries(readers)).toEqual(Object.fromEntries(Object.entries(unread).map(([k, v]) => [k, [v]])))
  })

  test('shares each of our modules with the scripts that are read later', async () => {
    const { first, rest } = await built
    const ours = [first, ...Object.values(rest)].flatMap(modulesOf).filter((path) => /^(apps|packages)\//.test(path))
    expect(ours).toContain(entry)
    expect(ours.filter((path, nth) => ours.indexOf(path) !== nth)).toEqual([])
  })

  test('knows the script of each module that is imported later', async () => {
    const { rest, scripts } = await built
    expect([...new Set(scripts.values())].toSorted()).toEqual(Object.keys(rest).toSorted())
  })
})

test('what is imported later is read then, and shares the modules that have run', async () => {
  const folder = mkdtempSync(join(root, 'packages/server/node_modules/split-'))
  const entry = join(folder, 'main.js')
  const sources = {
    'main.js': `import { seen } from './shared.js'
      export const running = async () => [seen.length, await import('./late.mjs').then(({ late }) => late), seen.length]`,
    'late.mjs': `import { seen } from './shared.js'; seen.push('late'); export const late = 'late'`,
    'shared.js': `export const seen = []`,
  }
  try {
    for (const [name, text] of Object.entries(sources)) writeFileSync(join(folder, name), text)
    const { first, rest } = await splitScript('start', entry, { late: [`${relative(root, folder)}/late.mjs`] }, bundled)
    const read: string[] = []
    const late = (name: string) => {
      read.push(name)
      return run(rest['late'], { parts: started.parts })[name]()
    }
    const started = run(first, { rest: late })
    expect(read).toEqual([])
    expect(await started.running()).toEqual([0, 'late', 1])
    expect(read).toEqual([`./${relative(root, folder)}/late.mjs`])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

/** Runs a script as `run-script` does. Returns what it exports. */
function run(script: Built | undefined, parley: object) {
  const code = script?.outputFiles?.[0]?.text ?? ''
  const module = { exports: {} }
  new Function('module', 'exports', 'require', 'parley', code)(module, module.exports, createRequire(root), parley)
  return Object(module.exports)
}

type Built = BuildResult<{ metafile: true }>

const nameOf = ([name]: readonly [string, unknown]) => name

function has(script: Built, name: string): boolean {
  return modulesOf(script).some((path) => path.includes(`/node_modules/${name}/`))
}

/** Lists the modules whose code is in a script. */
function modulesOf({ metafile }: Built): string[] {
  return Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).filter((path) => !/^[<]|:/.test(path) && (inputs[path]?.bytesInOutput ?? 0) > 0),
  )
}
