import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Program } from './launch-server.ts'

interface Place {
  readonly home: string
  /** What it holds under a secret name is not written down. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Writes down what is needed to find an internal error; returns where. */
export async function reportBug({ home, env }: Place, { version, build }: Program, error: unknown): Promise<string> {
  const folder = join(home, 'logs')
  const path = join(folder, `crash-${process.pid}-${Date.now()}.txt`)
  const what = await withoutSecrets(error instanceof Error ? (error.stack ?? error.message) : String(error), env)
  const text = `parley ${version} (${build}), Node ${process.version}, ${process.platform}-${process.arch}\n${what}\n`
  try {
    // Not `recursive`: under /proc that goes on for ever. A home without a parent is no home to write to.
    for (const path of [home, folder]) if (!existsSync(path)) mkdirSync(path, { mode: 0o700 })
    writeFileSync(path, text, { mode: 0o600 })
    return path
  } catch {
    process.stderr.write(text)
    return 'the lines above (no file could be written)'
  }
}

/** Loaded only now: a start has no time for it. Without it nothing is said that might be secret. */
async function withoutSecrets(text: string, env: Place['env']): Promise<string> {
  try {
    const { secretHider } = await import('./hide-secrets.ts')
    return secretHider(env)(text)
  } catch {
    return 'What went wrong cannot be told: the part that keeps secrets out of reports could not be loaded.'
  }
}
