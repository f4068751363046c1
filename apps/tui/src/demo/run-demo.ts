import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { CommonFlags } from '../cli/flags.ts'
import type { Launch } from '../main.ts'
import { hasTerminal, sayNoTerminal } from '../terminal/has-terminal.ts'
import { demoProject, demoTask } from './demo-project.ts'

const banner =
  'Demo: the model’s words are recorded. Every command and patch is real, in a scratch folder, and asks you first.'

/** `parley demo`: a real session on a recorded model, in a scratch project of its own. */
export async function runDemo(launch: Launch, flags: CommonFlags): Promise<number> {
  if (!hasTerminal()) return sayNoTerminal()
  const folder = makeProject()
  const { runInteractive } = await import('../ink/run-interactive.tsx')
  const code = await runInteractive(
    launch,
    // With a sandbox most of it would run unasked, and there would be nothing to answer.
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
