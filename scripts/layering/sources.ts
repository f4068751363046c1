import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readSyntax, type Syntax } from './syntax.ts'

export type Source = {
  /** From the repository's root, with forward slashes. */
  readonly path: string
  /** `packages/rpc`, `apps/tui`. */
  readonly home: string
  readonly isTest: boolean
  readonly text: string
  readonly syntax: Syntax
}

export const root = join(import.meta.dirname, '../..')

/** Reads every TypeScript source and test of the packages and apps. */
export function readSources(parts: '{src,test}' | 'src' = '{src,test}'): Source[] {
  const patterns = [`{packages,apps}/*/${parts}/**/*.ts`, `{packages,apps}/*/${parts}/**/*.tsx`]
  return globSync(patterns, { cwd: root }).map((path) => toSource(path, readFileSync(join(root, path), 'utf8')))
}

export function toSource(path: string, text: string): Source {
  const [kind = '', name = '', part = ''] = path.split('/')
  return { path, home: `${kind}/${name}`, isTest: part === 'test', text, syntax: readSyntax(path, text) }
}

export type Manifest = {
  readonly home: string
  readonly name: string
  readonly dependencies: readonly string[]
  readonly devDependencies: readonly string[]
}

export function readManifests(): Manifest[] {
  return globSync('{packages,apps}/*/package.json', { cwd: root }).map((path) => {
    const { name, dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(join(root, path), 'utf8'))
    const home = path.replace('/package.json', '')
    return { home, name, dependencies: Object.keys(dependencies), devDependencies: Object.keys(devDependencies) }
  })
}
