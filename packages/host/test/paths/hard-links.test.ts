import { linkSync, mkdirSync, realpathSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hardLinkedOutside, hardLinksOf } from '../../src/paths/hard-links.ts'
import { openPathStandings } from '../../src/paths/path-standing.ts'
import { findSandboxGuards } from '../../src/paths/sandbox-guards.ts'
import { openWorkspace } from '../workspace.ts'

/** A workspace `w` with a few folders, and settings in `home`. */
function laidOut() {
  const workspace = openWorkspace()
  const top = realpathSync(workspace.path('.'))
  for (const folder of ['home', 'w/dots/deep', 'w/node_modules/x']) mkdirSync(join(top, folder), { recursive: true })
  writeFileSync(join(top, 'home/config.toml'), 'model = "m"\n')
  writeFileSync(join(top, 'w/dots/other'), 'model = "m"\n')
  const [file, root] = [join(top, 'home/config.toml'), join(top, 'w')]
  return {
    ...{ top, file, root },
    link: (name: string) => linkSync(file, join(top, name)),
    [Symbol.dispose]: () => workspace[Symbol.dispose](),
  }
}

describe('the second names of a file', () => {
  it('are found wherever they lie in the folders, and nowhere else', () => {
    using place = laidOut()
    expect(hardLinksOf(place.file, [place.root])).toEqual([])
    for (const name of ['w/dots/deep/mine', 'w/node_modules/x/mine', 'home/kept']) place.link(name)
    expect([...hardLinksOf(place.file, [place.root])].sort()).toEqual([
      join(place.root, 'dots/deep/mine'),
      join(place.root, 'node_modules/x/mine'),
    ])
  })

  it('are searched for again when one was added, renamed or removed', () => {
    using place = laidOut()
    place.link('home/kept')
    expect(hardLinksOf(place.file, [place.root])).toEqual([])
    place.link('w/one')
    expect(hardLinksOf(place.file, [place.root])).toEqual([join(place.root, 'one')])
    renameSync(join(place.root, 'one'), join(place.root, 'two'))
    expect(hardLinksOf(place.file, [place.root])).toEqual([join(place.root, 'two')])
  })
})

describe('files that have names outside of the folders', () => {
  it('are told from those whose names all lie in them, in one look for all', async () => {
    using place = laidOut()
    place.link('w/far')
    const inside = join(place.root, 'dots/other')
    const all = Array.from({ length: 300 }, (_, nth) => join(place.root, `dots/deep/${nth}`))
    for (const name of all) linkSync(inside, name)
    const far = join(place.root, 'far')
    const single = join(place.root, 'single')
    writeFileSync(single, '')
    const nested = [place.root, join(place.root, 'dots')]
    for (const roots of [[place.root], nested, [...nested, place.root]])
      expect(await hardLinkedOutside([inside, ...all, far, single], roots)).toEqual([far])
    linkSync(inside, join(place.top, 'home/kept'))
    expect(await hardLinkedOutside([inside, ...all, far, single], [place.root])).toEqual([inside, ...all, far])
  })
})

describe("a second name of the program's own settings", () => {
  it('is guarded, also of the file that a link of that name leads to', async () => {
    using place = laidOut()
    place.link('w/dots/mine')
    const link = join(place.top, 'home/link.toml')
    symlinkSync('config.toml', link)
    for (const path of [place.file, link]) {
      const around = { home: '/nowhere', own: () => [path] }
      const { standingOf } = await openPathStandings([place.root], around)
      expect(standingOf(join(place.root, 'dots/mine'))).toMatchObject({ guard: 'parley', names: 2 })
      expect(standingOf(join(place.root, 'dots/other'))).toMatchObject({ guard: null })
      expect((await findSandboxGuards([place.root], around)).kept).toContain(join(place.root, 'dots/mine'))
    }
  })
})
