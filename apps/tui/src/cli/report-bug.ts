import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HomeAndEnv } from '@parley/client/named-servers'
import type { ProgramBuild } from './launch-server.ts'

/** Writes a report about an internal error, without secrets of `env`. Resolves to its path, or to a hint that it is on stderr. */
export async function reportBug(
  { home, env }: HomeAndEnv,
  { version, build }: ProgramBuild,
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

/** Removes secrets. Loads the redactor only here, to keep the start fast; without the redactor the text is withheld. */
async function withoutSecrets(text: string, env: HomeAndEnv['env']): Promise<string> {
  try {
    const { secretHider } = await import('./hide-secrets.ts')
    return secretHider(env)(text)
  } catch {
    return 'The error is left out: the code that removes secrets from reports could not be loaded.'
  }
}
