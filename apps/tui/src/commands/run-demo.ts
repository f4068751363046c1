import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { CommonFlags } from '../cli/flags.ts'
import type { WindowLaunch } from '../ink/run-interactive.ts'
import { hasTerminal, sayNoTerminal } from '../terminal/port.ts'

const banner =
  'Demo: the model’s words are recorded. Every command and patch is real, in a scratch folder, and asks you first.'

/** Runs `parley demo`: a session with a recorded model in a new scratch project. */
export async function runDemo(opened: WindowLaunch, flags: CommonFlags): Promise<number> {
  if (!hasTerminal()) return sayNoTerminal()
  const folder = makeProject()
  const { runInTerminal } = await import('../plain/run-in-terminal.ts')
  const code = await runInTerminal(
    opened,
    // With the default policy the sandbox would run most commands without asking.
    { kind: 'new', prompt: demoTask, flags: { askForApproval: 'untrusted', ...flags, cd: folder } },
    { provider: 'demo', banner },
  )
  process.stdout.write(`The scratch project is in ${folder}\n`)
  return code
}

function makeProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-demo-'))
  for (const [path, content] of Object.entries(demoProject)) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
  return folder
}

/** The scratch project of the demo: one of its three tests fails. Path → content. */
export const demoProject: Readonly<Record<string, string>> = {
  'package.json': `{
  "name": "parley-demo",
  "private": true,
  "type": "module",
  "scripts": { "test": "node --test" }
}
`,
  'src/cart.js': `export function total(items) {
  return items.reduce((sum, item) => sum + item.price * item.count, 0)
}

/** The amount after a discount of so many percent. */
export function withDiscount(amount, percent) {
  return amount - percent
}
`,
  'test/cart.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { total, withDiscount } from '../src/cart.js'

test('an empty cart costs nothing', () => {
  assert.equal(total([]), 0)
})

test('items are counted', () => {
  assert.equal(total([{ price: 20, count: 3 }, { price: 5, count: 1 }]), 65)
})

test('a discount is a share of the amount', () => {
  assert.equal(withDiscount(200, 10), 180)
})
`,
}

export const demoTask = 'One of the tests fails. Find out why and fix it.'
