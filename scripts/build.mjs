/**
 * Bundles the programs: apps/tui/dist/parley.mjs and the servers with their chunks and assets side by side, straight
 * from the sources. `--sourcemap` writes maps beside them; `--quiet` prints failures only.
 */
import { basename, join } from 'node:path'
import { build } from 'esbuild'
import { collectAssets } from './bundle/assets.mjs'
import { builtinModules } from './bundle/builtin-modules.mjs'
import { cachedScripts } from './bundle/cached-script.mjs'
import { buildId, programVersion } from './bundle/identity.mjs'
import { inAscii } from './bundle/in-ascii.mjs'
import { inkStartUp } from './bundle/ink-start-up.mjs'
import { laterOfServer, laterOfTerminal } from './bundle/later-scripts.mjs'
import { buildPage } from './bundle/page.mjs'
import { distFolder, root } from './bundle/places.mjs'
import { publish } from './bundle/publish.mjs'
import { recordFiles } from './bundle/record-files.mjs'
import { recordModules } from './bundle/record-modules.mjs'
import { reportSizes } from './bundle/report.mjs'
import { splitScript } from './bundle/split-script.mjs'
import { startStamp } from './bundle/stamp.mjs'
import { stripDescriptions } from './bundle/strip-descriptions.mjs'
import { trimPackages } from './bundle/trim-packages.mjs'
import { uncompiledSchemas } from './bundle/uncompiled-schemas.mjs'
import { warmUp } from './bundle/warm-up.mjs'
import { windowScripts } from './bundle/window-scripts.mjs'

const withMaps = process.argv.includes('--sourcemap')
const quiet = process.argv.includes('--quiet')

/**
 * Programs to build. `code`: source that the entries run as one script with V8's cache of its compiled code (see
 * `run-script`). `window`: source that the entry runs instead to open a window. `later` are scripts beside `code`, each
 * with the files and packages for which it is read (see `split-script`). `entries` are the source of each file that is
 * started; without `code` it is all of the program: making a cache sets flags of V8, which a thread may not do to its
 * process.
 */
const programs = [
  {
    name: 'parley',
    entries: { parley: `import './apps/tui/src/bin.ts'` },
    code: 'apps/tui/src/main.ts',
    later: laterOfTerminal,
    window: 'apps/tui/src/start-in-window.ts',
  },
  {
    name: 'server',
    entries: Object.fromEntries(
      ['server', 'mcp-server', 'app-server', 'acp', 'store'].map((name) => [
        name,
        `import { start } from './packages/server/src/start.ts'; await start('${name}')`,
      ]),
    ),
    code: 'packages/server/src/start.ts',
    later: laterOfServer,
  },
  {
    name: 'exec-server',
    entries: {
      'exec-server': `import { start } from './packages/exec-server/src/program/start.ts'; await start()`,
    },
    code: 'packages/exec-server/src/program/start.ts',
    later: {},
  },
  { name: 'search', entries: { search: `import './packages/engine/src/search/thread-program.ts'` } },
]

const common = {
  absWorkingDir: root,
  outdir: distFolder,
  bundle: true,
  platform: 'node',
  target: 'node22.19',
  conditions: ['@parley/source'],
  minify: true,
  sourcemap: withMaps ? 'linked' : false,
  legalComments: 'none',
  jsx: 'automatic',
  tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  metafile: true,
  write: false,
  logLevel: 'warning',
}

/** Builds one program by itself: shared chunks would make each process load many small files at its start. */
async function bundle({ name, entries, code, later, window }, define) {
  if (code === undefined)
    return Promise.all(
      Object.entries(entries).map(([entry, source]) => bundleEntry(entry, source, { standIns: {}, define })),
    )
  const bundlePart = (part, options) => bundleScript({ ...options, entryNames: `${part}-[hash]` }, define)
  const [{ first, rest, scripts: places }, parts] = await Promise.all([
    splitScript(`${name}-code`, inRoot(code), later, bundlePart),
    window === undefined ? null : windowScripts(inRoot(window), bundlePart),
  ])
  const laterNames = Object.fromEntries([...places].map(([module, part]) => [`./${module}`, fileName(rest[part])]))
  const names = { PARLEY_CODE: scriptName(first), PARLEY_LATER: JSON.stringify(laterNames) }
  const scripts = [first, ...Object.values(rest)]
  record[name] = { first, later: rest, scriptOf: Object.fromEntries(places) }
  if (parts !== null) {
    record.window = { first: parts.window, later: { 'parley-rest': parts.rest } }
    scripts.push(parts.window, parts.rest)
    Object.assign(names, { PARLEY_WINDOW: scriptName(parts.window), PARLEY_REST: scriptName(parts.rest) })
  }
  const standIns = {
    [inRoot(code)]: 'cached-start.mjs',
    ...(window === undefined ? {} : { [inRoot(window)]: 'window-start.mjs' }),
  }
  const built = Object.entries(entries).map(([entry, source]) =>
    bundleEntry(entry, source, { standIns, define: { ...define, ...names } }),
  )
  return [...scripts, ...(await Promise.all(built))]
}

/** Returns the name of a script as a value to define. */
function scriptName(script) {
  return JSON.stringify(fileName(script))
}

function fileName({ outputFiles }) {
  return basename(outputFiles.find(({ path }) => path.endsWith('.cjs')).path)
}

/** Builds code as one script with its hash in the name, so that it never uses the cache of other code. */
async function bundleScript({ plugins: own = [], ...options }, define) {
  const script = await build({
    ...common,
    ...options,
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    define: { ...define, 'import.meta.url': 'parleyModuleUrl', 'import.meta.dirname': '__dirname' },
    // A function, which needs no copy of the code to be called: that would stay in memory.
    banner: {
      js: `(function(module,exports,require,__filename,__dirname,parley){const parleyModuleUrl=require('node:url').pathToFileURL(__filename).href;`,
    },
    footer: { js: '})' },
    plugins: [...own, ...plugins()],
  })
  return {
    ...script,
    outputFiles: script.outputFiles.map((file) => (file.path.endsWith('.cjs') ? inAscii(file) : file)),
  }
}

/** Builds a file that users start, which runs the scripts of its program. */
function bundleEntry(name, contents, { standIns, define }) {
  return build({
    ...common,
    stdin: { contents, resolveDir: root },
    entryNames: name,
    outExtension: { '.js': '.mjs' },
    format: 'esm',
    define,
    // Bundled CommonJS parts call require for Node's own modules.
    banner: {
      js: `import{createRequire as parleyRequire}from'node:module';const require=parleyRequire(import.meta.url);`,
    },
    plugins: [...plugins(), cachedScripts(standIns)],
  })
}

function plugins() {
  return [builtinModules(), inkStartUp(), stripDescriptions(), trimPackages(), uncompiledSchemas()]
}

const inRoot = (path) => join(root, path)
/** Scripts of each program, and of the window of `parley`. */
const record = {}

const startedAt = performance.now()
const stamp = startStamp()
const version = programVersion()
const define = {
  'process.env.NODE_ENV': '"production"',
  PARLEY_VERSION: JSON.stringify(version),
  PARLEY_BUILD: JSON.stringify(buildId()),
}
const building = buildPage(define)
const results = await Promise.all(programs.map((program) => bundle(program, define)))
  .then((built) => built.flat())
  .catch((error) => {
    // esbuild has printed each error with its place in the source.
    if (!error.errors) throw error
    process.exit(1)
  })
const page = await building
const outputs = [...results.flatMap((result) => result.outputFiles), ...page.files, ...collectAssets()]
publish(outputs)
recordFiles([...results, ...page.results], outputs)
recordModules(record)
const isWarm = await warmUp()
stamp.finish(version)
if (!quiet && !isWarm) console.log('a turn did not end: the first use makes the cache of compiled code')
if (!quiet) reportSizes(results, outputs, performance.now() - startedAt)
