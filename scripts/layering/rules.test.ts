import { describe, expect, test } from 'vitest'
import {
  lengthViolations,
  lengthWarnings,
  longSpreadViolations,
  looseTypeViolations,
  nameViolations,
  rootExportViolations,
  silencedCheckViolations,
} from './conventions.ts'
import { openViolations } from './file-opens.ts'
import { importViolations } from './import-rules.ts'
import { manifestViolations } from './manifests.ts'
import { impurities } from './purity.ts'
import { type Manifest, type Source, toSource } from './sources.ts'

type Case = readonly [path: string, text: string]

const faultsOf = (rule: (source: Source) => string[], [path, text]: Case): string[] => rule(toSource(path, text))

describe('an import is refused', () => {
  test.each<Case>([
    ['packages/client/src/a.ts', `import { serve } from '@parley/server'`],
    ['apps/web/src/a.ts', `import { rows } from 'parley/page-rules'`],
    ['apps/tui/src/a.ts', `import { page } from '@parley/web'`],
    ['apps/tui/src/a.ts', `const { serve } = await import('@parley/server')`],
    ['packages/host/src/a.ts', `import type { Event } from '@parley/protocol'`],
    ['packages/rpc/src/a.ts', `import { z } from 'zod'`],
    ['packages/server/src/a.ts', `import { waitUntil } from '@parley/testkit'`],
    ['packages/server/src/a.ts', `import { peer } from '../../rpc/src/peer.ts'`],
    ['packages/rpc/src/a.ts', `import { fake } from '../test/fake.ts'`],
    ['apps/tui/src/view/a.ts', `import type { ReactNode } from 'react'`],
    ['apps/tui/src/conversation/a.ts', `import { connectClient } from '@parley/client/low-level'`],
    ['packages/protocol/src/reduce.ts', `import { z } from 'zod'`],
    ['packages/protocol/src/index.ts', `export { event } from './schema/event.ts'`],
    ['packages/server/src/frontends/conversation/a.ts', `import type { A } from '@parley/engine/src/open/a.ts'`],
    ['packages/server/src/programs/server/a.ts', `const { a } = await import('@parley/engine/test/a.ts')`],
    ['packages/frontends/src/mcp/a.ts', `import { createEngine } from '@parley/engine'`],
    ['packages/exec-server/src/a.ts', `import type { Engine } from '@parley/engine'`],
    ['packages/engine/src/a.ts', `import { UsageError } from '@parley/serving'`],
  ])('%s: %s', (...given) => {
    expect(faultsOf(importViolations, given)).toHaveLength(1)
  })
})

describe('an import is allowed', () => {
  test.each<Case>([
    ['apps/tui/src/a.ts', `import { connect } from '@parley/client'`],
    ['packages/server/test/a.test.ts', `import { waitUntil } from '@parley/testkit'`],
    ['packages/rpc/test/a.test.ts', `import { peer } from '@parley/rpc'`],
    ['packages/server/test/a.test.ts', `import { step } from '../src/core/step.ts'`],
    ['apps/tui/src/ink/a.tsx', `import { Box } from 'ink'\nexport const A = () => <Box />`],
    ['packages/protocol/src/reduce.ts', `import type { z } from 'zod'`],
    ['packages/protocol/src/schema/event.ts', `import { z } from 'zod'`],
    ['packages/server/src/frontends/conversation/a.ts', `import { createEngine } from '@parley/engine'`],
    ['packages/server/test/a.test.ts', `import { open } from '@parley/engine/src/open/a.ts'`],
    ['packages/frontends/src/mcp/a.ts', `import type { Ceiling } from '@parley/engine'`],
    ['packages/frontends/src/mcp/a.ts', `import { withDeveloperInstructions } from '@parley/engine/instructions'`],
    ['packages/engine/src/a.ts', `import { open } from './open/a.ts'`],
  ])('%s: %s', (...given) => {
    expect(faultsOf(importViolations, given)).toEqual([])
  })
})

describe('a list that becomes arguments', () => {
  const at = (text: string): Case => ['packages/text/src/a.ts', text]

  test.each([
    'all.push(...found)',
    'this.all.unshift(...found, last)',
    'Math.max(0, ...rows.map(width))',
    'all.push(...(isNew ? [first] : rest))',
    'all.push(...[first, ...rest])',
  ])('is refused: %s', (text) => {
    expect(faultsOf(longSpreadViolations, at(text))).toHaveLength(1)
  })

  test.each([
    'all.push(first, second)',
    'all.push(...(isNew ? [first] : []))',
    'const both = [...all, ...found]',
    'Math.max(one, two)',
  ])('is allowed: %s', (text) => {
    expect(faultsOf(longSpreadViolations, at(text))).toEqual([])
  })
})

describe('a pure folder', () => {
  const at = (text: string): Case => ['apps/tui/src/view/a.ts', text]

  test.each([
    'const now = Date.now()',
    'const at = new Date()',
    'const chance = Math.random()',
    'const { pid } = process',
    'const start = performance.now()',
    `import { join } from 'node:path'`,
    `import { join } from 'path'`,
    `import { main } from '../ink/main.ts'`,
  ])('refuses %s', (text) => {
    expect(faultsOf(impurities, at(text))).toHaveLength(1)
  })

  test.each([
    'const x = { process: 1 }.process',
    'type Item = { readonly process: string }',
    '// Date and process are only mentioned here',
    'const text = "new Date()"',
    'const floor = Math.floor(1.5)',
    `import { keys } from '../ui/keys.ts'`,
  ])('allows %s', (text) => {
    expect(faultsOf(impurities, at(text))).toEqual([])
  })
})

describe('a file is opened', () => {
  test.each<Case>([
    ['packages/server/src/a.ts', `import { closeSync, openSync } from 'node:fs'`],
    ['packages/engine/src/a.ts', `import { readFileSync } from 'node:fs'`],
    ['packages/team/src/a.ts', `import { readFileSync } from 'node:fs'`],
    ['packages/server/src/tools/a.ts', `import {\n  readFile,\n  stat,\n} from 'node:fs/promises'`],
    ['packages/server/src/a.ts', `import { join } from 'node:path'\nimport { readFileSync } from 'node:fs'`],
    ['packages/host/src/a.ts', `import fs from 'node:fs'`],
    ['packages/host/src/a.ts', `import * as disk from 'node:fs'`],
    ['packages/host/src/a.ts', `import { readFile as read } from 'node:fs/promises'`],
    ['packages/host/src/a.ts', `import { promises as disk } from 'node:fs'`],
  ])('not past the rule for locks: %s %s', (...given) => {
    expect(faultsOf(openViolations, given)).toHaveLength(1)
  })

  test.each<Case>([
    ['packages/server/src/a.ts', `import type { FileHandle } from 'node:fs/promises'`],
    ['packages/server/src/a.ts', `import { closeSync, type Stats, statSync } from 'node:fs'`],
    ['packages/client/src/a.ts', `import { openSync } from 'node:fs'`],
  ])('or not at all: %s %s', (...given) => {
    expect(faultsOf(openViolations, given)).toEqual([])
  })
})

describe('the types of a source', () => {
  const at = (text: string): Case => ['packages/rpc/src/a.ts', text]

  test.each(['let a: any', 'const a = b!', 'const a = b as C', 'let a!: number'])('may not say %s', (text) => {
    expect(faultsOf(looseTypeViolations, at(text))).toHaveLength(1)
  })

  test.each([
    'const a = [1] as const',
    `import { a as b } from './a.ts'`,
    'const a = b as C // narrowed: the line above has checked it',
    '// narrowed: checked above\nconst a = b as C',
    'const many = "any as !"',
  ])('may say %s', (text) => {
    expect(faultsOf(looseTypeViolations, at(text))).toEqual([])
  })
})

describe('a name, a length, a silenced check', () => {
  test.each(['packages/rpc/src/call-manager.ts', 'packages/rpc/src/utils/call.ts', 'packages/rpc/src/someCall.ts'])(
    '%s is refused',
    (path) => {
      expect(faultsOf(nameViolations, [path, ''])).toHaveLength(1)
    },
  )

  test('a word inside a word is not that word', () => {
    expect(faultsOf(nameViolations, ['packages/rpc/src/database-information.test.ts', ''])).toEqual([])
  })

  test('a source of 301 lines is warned about, unless it is a table, and one of 401 is refused', () => {
    expect(faultsOf(lengthWarnings, ['packages/rpc/src/a.ts', '\n'.repeat(300)])).toEqual([])
    expect(faultsOf(lengthWarnings, ['packages/rpc/src/a.ts', '\n'.repeat(301)])).toHaveLength(1)
    expect(faultsOf(lengthWarnings, ['packages/presentation/src/text/width-table.ts', '\n'.repeat(301)])).toEqual([])
    expect(faultsOf(lengthViolations, ['packages/rpc/src/a.ts', '\n'.repeat(400)])).toEqual([])
    expect(faultsOf(lengthViolations, ['packages/rpc/src/a.ts', '\n'.repeat(401)])).toHaveLength(1)
  })

  test.each<Case>([
    ['packages/rpc/src/a.ts', '// biome-ignore lint: because'],
    ['packages/rpc/src/a.ts', '// @ts-expect-error'],
    ['packages/rpc/test/a.test.ts', `vi.mock('./a.ts')`],
  ])('%s may not hold %s', (...given) => {
    expect(faultsOf(silencedCheckViolations, given)).toHaveLength(1)
  })

  test('a package root may not export by star', () => {
    expect(faultsOf(rootExportViolations, ['packages/rpc/src/index.ts', `export * from './a.ts'`])).toHaveLength(1)
  })
})

test('a manifest that declares too much or too little is refused', () => {
  const manifest: Manifest = { home: 'packages/rpc', name: 'rpc', dependencies: ['unused'], devDependencies: [] }
  const sources = [
    toSource('packages/rpc/src/a.ts', `import { z } from 'zod/mini'\nimport { join } from 'node:path'`),
    toSource('packages/rpc/test/a.test.ts', `import { test } from 'vitest'\nimport { q } from '@scope/q/sub'`),
  ]
  expect(manifestViolations(manifest, sources)).toEqual([
    'packages/rpc imports zod undeclared',
    'packages/rpc tests import @scope/q undeclared',
    'packages/rpc declares unused, which no source imports',
  ])
})
