import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './layering/sources.ts'

const pages = ['README.md', 'CHANGELOG.md', 'ARCHITECTURE.md', 'AGENTS.md', ...globSync('docs/**/*.md', { cwd: root })]
const textOf = (page: string) => readFileSync(join(root, page), 'utf8')

/** Relative links, without code, as `[path, anchor]`. */
function linksOf(page: string): [path: string, anchor: string | undefined][] {
  const prose = textOf(page).replace(/^```.*?^```$/gms, '')
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = '', anchor] = target.split('#')
      return [path === '' ? page : join(dirname(page), path), anchor]
    })
}

/** Paths in code spans, from the root, without paths that have a stand-in (`NAME`, `…`). */
function pathsNamedIn(page: string): string[] {
  const spans = [...textOf(page).matchAll(/`((?:apps|docs|packages|scripts)\/[^`\s]+)`/g)].map(([, path = '']) => path)
  return spans.filter((path) => !/NAME|…/.test(path))
}

/** Anchors that GitHub makes of headings, and explicit anchors. */
function anchorsOf(page: string): Set<string> {
  const written = [...textOf(page).matchAll(/<a id="(.+?)">/g)].map(([, id = '']) => id)
  const headings = [...textOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading)
  const slugs = headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
  return new Set([...slugs, ...written])
}

test('links in the documentation lead somewhere', () => {
  const dead = pages.flatMap((page) =>
    linksOf(page)
      .filter(([path, anchor]) => {
        if (!existsSync(join(root, path))) return true
        return anchor !== undefined && path.endsWith('.md') && !anchorsOf(path).has(anchor)
      })
      .map(([path, anchor]) => `${page}: ${path}${anchor === undefined ? '' : `#${anchor}`}`),
  )
  expect(dead).toEqual([])
})

test.each(['ARCHITECTURE.md', 'AGENTS.md', 'docs/where-to-change.md'])('%s names files and folders', (page) => {
  expect(pathsNamedIn(page)).not.toEqual([])
})

test.each(pages)('%s names no file or folder that is missing', (page) => {
  expect(pathsNamedIn(page).filter((path) => !existsSync(join(root, path)))).toEqual([])
})

test('every page is in the index', () => {
  const listed = linksOf('docs/README.md').map(([path]) => path)
  const written = globSync('docs/{*.md,*/README.md}', { cwd: root }).filter((page) => page !== 'docs/README.md')
  expect(written.filter((page) => !listed.includes(page))).toEqual([])
})

test('every decision is listed under its title and has its three parts', () => {
  const list = textOf('docs/decisions/README.md')
  const decisions = globSync('docs/decisions/[0-9]*.md', { cwd: root })
  const wrong = decisions.filter((page) => {
    const text = textOf(page)
    const title = /^# (.+)$/m.exec(text)?.[1] ?? ''
    const parts = [...text.matchAll(/^## (.+)$/gm)].map(([, part]) => part).join(' ')
    const name = basename(page)
    return !list.includes(`[${name.slice(0, 4)}](${name}) ${title}\n`) || parts !== 'Context Decision Consequence'
  })
  expect(decisions).not.toEqual([])
  expect(wrong).toEqual([])
})

test('every number without a decision is named as unused', () => {
  const [, unused = ''] = /^Unused numbers: (.+)$/m.exec(textOf('docs/decisions/README.md')) ?? []
  const used = globSync('docs/decisions/[0-9]*.md', { cwd: root }).map((page) => Number(basename(page).slice(0, 4)))
  const all = Array.from({ length: Math.max(...used) }, (_, index) => index + 1)
  const named = [...unused.matchAll(/\d{4}/g)].map(([number]) => Number(number))
  expect(named).toEqual(all.filter((number) => !used.includes(number)))
})
