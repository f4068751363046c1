import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Program } from './launch-server.ts'

interface Destination {
  readonly home: string
  /** Variables whose secrets are removed from the report. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Writes a report about an internal error. Resolves to its path, or to a hint that it is on stderr. */
export async function reportBug(
  { home, env }: Destination,
  { version, build }: Program,
  error: unknown,
): Promise<string> {
  const folder = join(home, 'logs')
  const path = join(folder, `crash-${process.pid}-${Date.now()}.txt`)
  const what = await withoutSecrets(error instanceof Error ? (error.stack ?? error.message) : String(error), env)
  const text = `parley ${version} (${build}), Node ${process.version}, ${process.platform}-${process.arch}\n${what}\n`
  try {
    // Without `recursive`, which loops for ever under /proc.
    for (const path of [home, folder]) if (!existsSync(path)) mkdirSync(path, { mode: 0o700 })
    writeFileSync(path, text, { mode: 0o600 })
    return path
  } catch {
    process.stderr.write(text)
    return 'the lines above (no file could be written)'
  }
}

/** Removes secrets. Loads the redactor only here, for the sake of the start; without it the text is withheld. */
async function withoutSecrets(text: string, env: Destination['env']): Promise<string> {
  try {
    const { secretHider } = await import('./hide-secrets.ts')
    return secretHider(env)(text)
  } catch {
    return 'The error is left out: the code that removes secrets from reports could not be loaded.'
  }
}
