import { chmodSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError, withSetting } from '@parley/config'
import { readIfExists, realPathIfExists } from '@parley/host'
import { type Files, makeFolders, replaceSynced } from '@parley/journal'
import type { ParamsOf, ResultOf } from '@parley/protocol'
import { systemErrorReason } from '@parley/workspace'
import { rejection } from '../replies/rejection.ts'

/** Sets one value in the user's config.toml and leaves all else of it as it is. Rejects with `configInvalid`. */
export async function writeConfig(
  { value }: ParamsOf<'config/write'>,
  { home, files }: { readonly home: string; readonly files: Files },
): Promise<ResultOf<'config/write'>> {
  const file = join(home, 'config.toml')
  try {
    const text = readIfExists(file) ?? ''
    const after = withSetting(text, { table: 'tui', key: 'theme', value }, file)
    if (after !== text) await replace(files, home, { file, text: after })
    return { file }
  } catch (error) {
    if (error instanceof ConfigError) throw error
    throw rejection('configInvalid', `${file} cannot be written: ${systemErrorReason(error)}.`, { where: file })
  }
}

/** Replaces the file behind the link at a path: many people keep their configuration in a repository of their own. */
async function replace(files: Files, home: string, { file, text }: { file: string; text: string }): Promise<void> {
  const real = realPathIfExists(file)
  if (real === null) makeFolders(files, home)
  const mode = real === null ? null : statSync(real).mode & 0o777
  await replaceSynced(files, real ?? file, text)
  if (real !== null && mode !== null) chmodSync(real, mode)
}
