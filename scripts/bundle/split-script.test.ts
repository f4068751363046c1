import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'
import { type BuildOptions, type BuildResult, build } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { root } from './places.mjs'
import { moduleRecord } from './record-modules.mjs'
import { splitScript } from './split-script.mjs'

interface Split {
  readonly first: readonly string[]
  readonly later: Readonly<Record<string, readonly string[]>>
  readonly scriptOf?: Readonly<Record<string, string>>
}

/** Modules of the scripts of the last build. To build them again takes 10 s of CPU. */
const built: Readonly<Record<string, Split>> = JSON.parse(readFileSync(moduleRecord, 'utf8'))

/** Scripts; a process reads one of them. */
const frontends = ['server-mcp', 'server-app-server', 'server-acp']

/** Programs with a module that their first script has, and packages that it does not have, with their script. */
const programs = [
  {
    program: 'server',
    module: 'packages/server/src/start.ts',
    unread: {
      '@modelcontextprotocol/client': 'server-mcp-client',
      '@modelcontextprotocol/node': 'server-mcp',
      '@agentclientprotocol/sdk': 'server-acp',
      'web-tree-sitter': 'server-shell-parser',
      ws: 'server-websocket',
      oauth4webapi: 'server-login',
    },
  },
  {
    program: 'parley',
    module: 'apps/tui/src/main.ts',
    unread: {
      ink: 'parley-terminal',
      react: 'parley-terminal',
      marked: 'parley-terminal',
      'highlight.js': 'parley-terminal',
      zod: 'parley-schema',
      ws: 'parley-websocket',
    },
  },
  {
    program: 'window',
    module: 'apps/tui/src/view/layout-screen.ts',
    unread: { ink: 'parley-rest', react: 'parley-rest', zod: 'parley-rest', commander: 'parley-rest' },
  },
]

describe.each(programs)('the start of $program', ({ program, module, unread }) => {
  const { first, later } = built[program] ?? { first: [], later: {} }

  test('reads no package that few runs need', () => {
    const scripts = Object.entries(later)
    const readers = Object.keys(unread).map((name) => [name, scripts.filter(([, one]) => has(one, name)).map(nameOf)])
    expect(Object.keys(unread).filter((name) => has(first, name))).toEqual([])
    expect(Object.fromEntries(readers)).toEqual(Object.fromEntries(Object.entries(unread).map(([k, v]) => [k, [v]])))
  })

  test('shares each of our modules with the scripts that are read later', () => {
    expect(first).toContain(module)
    for (const script of Object.keys(later)) {
      const others = frontends.includes(script) ? frontends.filter((other) => other !== script) : frontends
      const read = Object.entries(later).flatMap(([name, paths]) => (others.includes(name) ? [] : paths))
      const ours = [...first, ...read].filter((path) => /^(apps|packages)\//.test(path))
      expect(ours.filter((path, nth) => ours.indexOf(path) !== nth)).toEqual([])
    }
  })
})

test.each(['server', 'parley'])('%s knows the script of each module that is imported later', (program) => {
  const { later = {}, scriptOf = {} } = built[program] ?? {}
  expect(Object.keys(later)).not.toEqual([])
  expect([...new Set(Object.values(scriptOf))].toSorted()).toEqual(Object.keys(later).toSorted())
})

test('what a window reads after its first frame is the rest of the program', () => {
  expect(built['window']?.later['parley-rest']).toContain('apps/tui/src/main.ts')
})

const bundled = (name: string, options: BuildOptions): Promise<Built> =>
  build({
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outdir: 'dist',
    write: false,
    logLevel: 'silent',
    metafile: true,
    entryNames: name,
    ...options,
  })

test('what is imported later is read then, and shares the modules that have run', async () => {
  const outputs = join(root, 'packages/server/dist')
  mkdirSync(outputs, { recursive: true })
  const folder = mkdtempSync(join(outputs, 'split-'))
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

/** Runs a script as `run-script` does. Returns its exports. */
function run(script: Built | undefined, parley: object) {
  const code = script?.outputFiles?.[0]?.text ?? ''
  const module = { exports: {} }
  new Function('module', 'exports', 'require', 'parley', code)(module, module.exports, createRequire(root), parley)
  return Object(module.exports)
}

type Built = BuildResult<{ metafile: true }>

const nameOf = ([name]: readonly [string, unknown]) => name

const has = (modules: readonly string[], name: string) =>
  modules.some((path) => path.includes(`/node_modules/${name}/`))
