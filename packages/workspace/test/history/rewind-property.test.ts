import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { ChangedPath } from '@parley/protocol'
import { tempDirectory } from '@parley/testkit'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openContentStore } from '../../src/history/content-store.ts'
import { createFileTable } from '../../src/history/file-table.ts'
import { joinChanges, planRewind } from '../../src/history/plan-rewind.ts'
import { applyPlan } from '../../src/patch/apply/apply-plan.ts'
import { diskPatchTarget } from '../../src/patch/apply/disk-patch-attempt.ts'
import { diskPatchFiles } from '../../src/patch/apply/disk-patch-files.ts'

const files = diskPatchTarget(diskPatchFiles)
const name = fc.constantFrom('a', 'b', 'c', 'x/a', 'x/b', 'x/y/a', 'z/a')
const act = fc.oneof(
  fc.record({
    kind: fc.constant('write' as const),
    at: name,
    text: fc.constantFrom('1', '2', '3', '', 'long '.repeat(99)),
  }),
  fc.record({ kind: fc.constant('remove' as const), at: name }),
  fc.record({ kind: fc.constant('move' as const), at: name, to: name }),
  fc.record({ kind: fc.constant('link' as const), at: name, to: name }),
  fc.record({ kind: fc.constant('mode' as const), at: name, mode: fc.constantFrom(0o600, 0o644, 0o755) }),
  fc.record({ kind: fc.constant('removeFolder' as const), at: fc.constantFrom('x', 'x/y', 'z') }),
)

type Act = typeof act extends fc.Arbitrary<infer One> ? One : never

/** Does what a command would; what is not possible is left out. */
function perform(root: string, one: Act): void {
  const path = join(root, one.at)
  try {
    if (one.kind === 'removeFolder') rmSync(path, { recursive: true, force: true })
    else mkdirSync(dirname(path), { recursive: true })
    if (one.kind === 'write') writeFileSync(path, one.text)
    if (one.kind === 'remove') rmSync(path)
    if (one.kind === 'mode' && lstatSync(path).isFile()) chmodSync(path, one.mode)
    if (one.kind === 'link') symlinkSync(`to-${one.to.replaceAll('/', '-')}`, path)
    if (one.kind === 'move') renameSync(path, join(root, one.to))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
  }
}

/** Returns each file with its content and mode, and where links lead. */
function treeOf(root: string): Record<string, string> {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()
  const all = names.flatMap((one): [string, string][] => {
    const stats = lstatSync(join(root, one))
    if (stats.isSymbolicLink()) return [[one, `→ ${readlinkSync(join(root, one))}`]]
    return stats.isFile() ? [[one, `${(stats.mode & 0o777).toString(8)} ${readFileSync(join(root, one), 'utf8')}`]] : []
  })
  return Object.fromEntries(all)
}

/** Runs of the property: few by default, many in the soak. */
const runs = Number(process.env['PARLEY_SOAK'] ?? 15)

test('files are as they were at any earlier point, whatever commands did to them, and again after the way back', {
  timeout: runs * 1_000 + 10_000,
}, async () => {
  const commands = fc.array(fc.array(act, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(commands, fc.nat(), async (turns, pick) => {
      await using folder = await tempDirectory()
      const root = join(folder.path, 'w')
      mkdirSync(root)
      for (const one of ['a', 'x/a'] as const) perform(root, { kind: 'write', at: one, text: '1' })
      const store = openContentStore(join(folder.path, 's'))
      const table = createFileTable({ roots: [root], store, secrets: [] })
      const watched = async () => (await table.look()) ?? []
      await watched()
      await table.keep(new AbortController().signal)
      const points: Record<string, string>[] = [treeOf(root)]
      const changes: (readonly ChangedPath[])[] = []
      const record = async () => {
        changes.push(await watched())
        points.push(treeOf(root))
      }
      for (const acts of turns) {
        for (const one of acts) perform(root, one)
        await record()
      }
      const to = pick % points.length
      const goTo = async (point: number) => {
        const since = joinChanges(changes.slice(point).flat())
        const { plans, left } = await planRewind({ changes: since, cwd: root, files, store, overwrite: false })
        expect(left).toEqual([])
        expect(await applyPlan({ plans, files, tag: randomUUID() })).toMatchObject({ applied: true })
        await record()
        expect(treeOf(root)).toEqual(points[point])
      }
      await goTo(to)
      await goTo(turns.length)
    }),
    { numRuns: runs, ...(process.env['PARLEY_SOAK'] === undefined ? { seed: 20_261_122 } : {}) },
  )
})
