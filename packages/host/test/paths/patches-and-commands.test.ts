import { linkSync, lstatSync, mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { partsOfFutureRepositories } from '../../src/git/future-repositories.ts'
import { isGitFolder } from '../../src/git/repositories.ts'
import { openPathStandings } from '../../src/paths/path-standing.ts'
import { findSandboxGuards, noSandboxGuards } from '../../src/paths/sandbox-guards.ts'
import { prepareBubblewrap } from '../../src/sandbox/bubblewrap/prepare-bubblewrap.ts'
import { isWithin } from '../../src/system/real-path.ts'
import { hasBubblewrap, machine, whyNot } from '../sandbox/bubblewrap/bubblewrap-here.ts'
import { openPlayground, type Playground } from '../sandbox/playground.ts'
import { runLimited } from '../sandbox/run-limited.ts'
import { soakRuns } from '../soak-runs.ts'

const places = [
  ...['a', 'b', 'sub/c', 'sub/deep/d', 'conf/x', 'conf/y', 'tools/hooks/pre-commit', 'hk/update'],
  ...['.envrc', '.vscode/tasks.json', '.mcp.json', '.husky/pre-push', '.parley/config.toml'],
  ...['.git', '.git/config', '.git/hooks/pre-commit', '.git/HEAD', 'config', 'hooks/update', 'HEAD'],
  ...['sub/.git', 'sub/.git/config', 'sub/deep/.git/config', '.bare/config', '.bare/hooks/x', 'sub', 'conf', 'tools'],
  ...['objects/x', 'refs/x', 'sub/objects/x', 'sub/refs/x', 'sub/HEAD', 'sub/config'],
] as const

const place = fc.constantFrom(...places)
const outside = fc.constantFrom('../out', '../out/victim', '../home/.gitconfig', '..', '.')
const text = fc.oneof(
  fc.constant('text\n'),
  place.map((path) => `[core]\n\thooksPath = ${dirname(path)}\n`),
  place.map((path) => `[include]\n\tpath = ../${path}\n`),
  place.map((path) => `[includeIf "gitdir:**"]\n\tpath = "${path}"\n`),
  place.map((path) => `[core]\nworktree = ../${dirname(path)}\nhooksPath = ../tools/hooks\n`),
  place.map((path) => `[alias]\n\tx = "!f() { git log; ./${path}; }; f"\n`),
  place.map((path) => `[core]\n\tpager = ${path} -x\n[diff]\n\texternal = sh ../${path}\n`),
  place.map((path) => `[filter "x"]\n\tclean = cat | ${path}\n[init]\n\ttemplateDir = ${dirname(path)}\n`),
  fc.constantFrom('gitdir: .bare\n', 'gitdir: ../.bare\n', 'gitdir: ../out\n', 'ref: refs/heads/main\n', '../.bare\n'),
)
const entry = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('file' as const), at: place, text }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('link' as const), at: place, text: fc.oneof(place, outside) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('second' as const), at: place, text: place }) },
)
type Entry = typeof entry extends fc.Arbitrary<infer Made> ? Made : never

/** Makes what can be made in this order; what an earlier entry is in the way of is left out. */
function lay(root: string, entries: readonly Entry[]): void {
  for (const { kind, at, text: content } of entries) {
    try {
      mkdirSync(dirname(join(root, at)), { recursive: true })
      if (kind === 'file') writeFileSync(join(root, at), content, { flag: 'wx' })
      else if (kind === 'second') linkSync(join(root, content), join(root, at))
      else symlinkSync(content, join(root, at))
    } catch {
      // A file lies where a folder would be, or the other way round; what gets a second name is not there.
    }
  }
}

const mark = 'written by the command\n'

function holdsMark(path: string): boolean {
  try {
    return readFileSync(path, 'utf8') === mark
  } catch {
    return false
  }
}

/** Returns the real paths that a patch may change unasked and those that a command could write; null without a sandbox. */
async function compare(ground: Playground) {
  const [root, home] = [ground.path('workspace'), ground.path('home')]
  const { standingOf } = await openPathStandings([root], { home })
  const folders = ['', 'sub', '.bare'].map((name) => join(root, name)).filter(isGitFolder)
  const reached = places.map((each) => standingOf(join(root, each)).real)
  const standings = [...new Set(reached)].flatMap((real) =>
    real !== null && canBeWritten(real) ? [standingOf(real)] : [],
  )
  const free = standings.filter((each) => each.root !== null && each.guard === null)
  // Below the workspace a command can make a new repository, a new .envrc …; a patch is asked about.
  // Other files of a repository than settings and hooks are not put back when a command wrote them by a further name.
  const isOfCommands = new Set(
    standings.filter(
      ({ written, guard, names }) => isInNewEntry(written, root) || (guard === 'repository' && names > 1),
    ),
  )
  // What makes a folder a repository is asked about, and judged once a command has ended.
  const isToBe = partsOfFutureRepositories(
    places.map((each) => join(root, each)),
    [root],
  )
  const isMade = (path: string) =>
    !folders.some((folder) => isWithin(path, folder)) && (isToBe(path) || path.includes('.parley-aside-'))
  // A missing folder on the way to a guarded path is closed to commands as a whole.
  const { missing } = await findSandboxGuards([root], { home }).catch(() => noSandboxGuards)
  const isOfPatches = (path: string) => missing.some((each) => isWithin(path, each))
  const sandbox = await prepareBubblewrap(ground.limits({ masked: [] }), machine(home)).catch(() => null)
  if (sandbox === null) return null
  const script = standings.map(({ written }) => `printf '%s\n' '${mark.trim()}' > '${written}'`).join('\n')
  await runLimited(sandbox, `{\n${script}\n} 2>/dev/null; true`, { cwd: root })
  sandbox.release?.()
  const changed = standings.filter(({ written }) => holdsMark(written))
  return {
    free: free.flatMap(({ written }) => (isOfPatches(written) || isMade(written) ? [] : [written])),
    written: changed.flatMap((each) => (isOfCommands.has(each) || isMade(each.written) ? [] : [each.written])),
  }
}

const guardedBelow = /\/(?:\.git|\.envrc|\.vscode|\.idea|\.husky|\.mcp\.json|\.parley)(?=\/|$)/

/** Returns true for what lies at or in a missing entry of a guarded name that is not directly in the workspace. */
function isInNewEntry(path: string, root: string): boolean {
  const found = guardedBelow.exec(path.slice(root.length + 1))
  return found !== null && !isThere(path.slice(0, root.length + 1 + found.index + found[0].length))
}

/** Returns true for a file and for a new one in a folder that is there. */
function canBeWritten(real: string): boolean {
  try {
    realpathSync(dirname(real))
    readFileSync(real)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT' && isThere(dirname(real))
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

describe.skipIf(!hasBubblewrap)(`for any tree of links and repositories${whyNot}`, { timeout: 600_000 }, () => {
  it('a patch is allowed exactly where a command can write', async () => {
    let compared = 0
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { minLength: 3, maxLength: 16 }), async (entries) => {
        using ground = openPlayground('/var/tmp')
        rmSync(ground.path('workspace'), { recursive: true })
        mkdirSync(ground.path('workspace'))
        lay(ground.path('workspace'), entries)
        const found = await compare(ground)
        if (found === null) return
        compared += 1
        expect(found.written).toEqual(found.free)
      }),
      { numRuns: soakRuns, ...(process.env['PARLEY_SOAK'] === undefined ? { seed: 20_261_122 } : {}) },
    )
    expect(compared).toBeGreaterThan(soakRuns / 4)
  })
})
