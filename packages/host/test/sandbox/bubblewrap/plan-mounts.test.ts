import { runsOf } from '@parley/testkit/long-runs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Mount, type MountFacts, planMounts } from '../../../src/sandbox/bubblewrap/plan-mounts.ts'
import { isWithin } from '../../../src/system/real-path.ts'

const nothing: MountFacts = {
  writable: [],
  readable: [],
  kept: [],
  hiddenFolders: [],
  hiddenFiles: [],
  scratch: '/home/me/.parley/scratch/1',
}
const base = ['root /', 'devices /dev', 'memory /dev/shm', 'processes /proc', 'temporary /tmp']
const planned = (facts: Partial<MountFacts>) =>
  planMounts({ ...nothing, ...facts })
    .map(({ kind, path }) => `${kind} ${path}`)
    .filter((line) => !base.includes(line))
/** Returns the mount of a path as the kernel does: the last one mounted around it. */
const effective = (mounts: readonly Mount[], path: string) =>
  mounts.findLast((mount) => isWithin(path, mount.path))?.kind

describe('the planned mounts', () => {
  it('start with the whole system, read-only', () => {
    expect(planMounts(nothing).map(({ kind, path }) => `${kind} ${path}`)).toEqual(base)
  })

  it.each<[string, Partial<MountFacts>, string[]]>([
    [
      'a workspace with its repository',
      { writable: ['/w'], kept: ['/w/.git', '/w/.vscode'] },
      ['writable /w', 'kept /w/.git', 'kept /w/.vscode'],
    ],
    ['a workspace under /tmp', { writable: ['/tmp/w'] }, ['writable /tmp/w']],
    ['a workspace under /tmp that is read only', { readable: ['/tmp/w'] }, ['readable /tmp/w']],
    [
      'a workspace under /tmp that is a bare repository with a work tree',
      { writable: ['/tmp/w', '/tmp/w/tree'], kept: ['/tmp/w'] },
      ['kept /tmp/w', 'writable /tmp/w/tree'],
    ],
    ['a workspace that is read only elsewhere needs nothing', { readable: ['/w'] }, []],
    ['/tmp itself as a workspace takes the place of the scratch', { writable: ['/tmp'] }, ['writable /tmp']],
    ['a workspace in memory', { writable: ['/dev/shm/w'] }, ['writable /dev/shm/w']],
    [
      'a root within another',
      { writable: ['/w', '/w/a'], kept: ['/w/a/.git'] },
      ['writable /w', 'pinned /w/a', 'kept /w/a/.git'],
    ],
    [
      'a root within what another keeps',
      { writable: ['/w', '/w/.idea/x'], kept: ['/w/.idea'] },
      ['writable /w', 'kept /w/.idea', 'writable /w/.idea/x'],
    ],
    ['a root that is read as a whole', { writable: ['/w', '/w/tree'], readable: ['/w'] }, ['writable /w/tree']],
    [
      'one under /tmp',
      { writable: ['/tmp/w', '/tmp/w/tree'], readable: ['/tmp/w'] },
      ['readable /tmp/w', 'writable /tmp/w/tree'],
    ],
    ['a root that is hidden stays hidden', { writable: ['/s'], hiddenFolders: ['/s'] }, ['emptyFolder /s']],
    [
      'a root within what is hidden',
      { writable: ['/s/w'], hiddenFolders: ['/s'] },
      ['emptyFolder /s', 'writable /s/w'],
    ],
    ['hidden within hidden', { hiddenFolders: ['/s', '/s/t'], hiddenFiles: ['/s/f'] }, ['emptyFolder /s']],
    [
      'hidden within the workspace is pinned where it is',
      { writable: ['/h'], hiddenFiles: ['/h/a/b/c'] },
      ['writable /h', 'pinned /h/a', 'pinned /h/a/b', 'emptyFile /h/a/b/c'],
    ],
    [
      'so are nested repositories, which would not be found under another name',
      { writable: ['/w'], kept: ['/w/.git', '/w/a/b/.git', '/w/a/git'] },
      ['writable /w', 'kept /w/.git', 'pinned /w/a', 'pinned /w/a/b', 'kept /w/a/b/.git', 'kept /w/a/git'],
    ],
    [
      'hidden within what is kept',
      { writable: ['/h'], kept: ['/h/.config'], hiddenFolders: ['/h/.config/gh'] },
      ['writable /h', 'kept /h/.config', 'emptyFolder /h/.config/gh'],
    ],
    ['what is kept elsewhere cannot be written to anyway', { writable: ['/w'], kept: ['/x/.git'] }, ['writable /w']],
    [
      'names that begin alike are no folders of each other',
      { writable: ['/w', '/w-2'], hiddenFolders: ['/w-2/s'] },
      ['writable /w', 'writable /w-2', 'emptyFolder /w-2/s'],
    ],
    ['a root among the processes or devices is none', { writable: ['/proc/1/root', '/proc'] }, []],
  ])('%s', (_, facts, expected) => {
    expect(planned(facts)).toEqual(expected)
  })

  const path = fc
    .array(fc.constantFrom('a', 'b', 'b-c', 'tmp', 'dev', 'proc', 'shm'), { minLength: 1, maxLength: 4 })
    .map((names) => `/${names.join('/')}`)
  const paths = fc.uniqueArray(path, { maxLength: 4 })
  const facts = fc.record({
    writable: paths,
    kept: paths,
    hiddenFolders: paths,
    hiddenFiles: paths,
    readable: fc.constant([]),
  })

  it('make nothing writable outside of the writable folders, protect what is kept and hide what is hidden', () => {
    fc.assert(
      fc.property(facts, path, (some, at) => {
        const all = { ...nothing, ...some }
        const kind = effective(planMounts(all), at)
        const innermost = (candidates: readonly string[]) =>
          candidates.filter((each) => isWithin(at, each)).reduce((longest, each) => Math.max(longest, each.length), 0)
        const root = innermost(all.writable)
        const isHidden = innermost([...all.hiddenFolders, ...all.hiddenFiles]) >= Math.max(root, 1)
        if (kind === 'writable' || kind === 'pinned') {
          expect(root).toBeGreaterThan(0)
          expect(innermost(all.kept)).toBeLessThan(root)
        }
        if (isHidden) expect(['writable', 'readable', 'kept', 'root', 'pinned']).not.toContain(kind)
      }),
      { numRuns: runsOf(2000) },
    )
  })

  it('put a path after what it lies within, and hold no path twice', () => {
    fc.assert(
      fc.property(facts, (some) => {
        const mounts = planMounts({ ...nothing, ...some })
        for (const [index, { path: at }] of mounts.entries())
          expect(mounts.slice(index + 1).some((later) => isWithin(at, later.path))).toBe(false)
      }),
    )
  })
})
