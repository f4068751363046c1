import { basename, dirname, join } from 'node:path'
import type { ChangedPath } from '@parley/protocol'
import { markShape } from '@parley/redaction'
import type { PatchView } from '@parley/workspace'

/** Names of changed files, which may hold a secret. */
export interface ChangedNames {
  /** Returns a change as the log has it: with marks in place of secrets in its name. */
  written(change: ChangedPath): ChangedPath
  /** Resolves to the path that a name in the log stands for; null where nothing tells it any more. */
  exact(path: string): Promise<string | null>
}

interface NameParts {
  readonly redact: (text: string) => string
  /** Real folders that the conversation works in. Their own names stay as they are: with a mark nothing could run there. */
  readonly roots: () => readonly string[]
  readonly files: Pick<PatchView, 'list'>
}

const mark = new RegExp(String.raw`\[${markShape}`)

/** Tells whether a name in the log stands for another, which holds a secret. */
function standsForAnother(path: string): boolean {
  return mark.test(path)
}

/**
 * Creates the names of changed files of a conversation. Names with a secret are known while this object lives, then as
 * long as such a file exists.
 */
export function createChangedNames({ redact, roots, files }: NameParts): ChangedNames {
  const known = new Map<string, string>()

  function writtenPath(path: string): string {
    const around = roots().filter((folder) => path.startsWith(`${folder}/`))
    const root = around.reduce((longest, folder) => (folder.length > longest.length ? folder : longest), '')
    const name = path.slice(root.length)
    const redacted = redact(name)
    if (redacted === name) return path
    known.set(root + redacted, path)
    return root + redacted
  }

  /** Finds the file with these marks in its name; null unless exactly one matches. */
  async function found(path: string): Promise<string | null> {
    if (!standsForAnother(path)) return path
    const folder = await found(dirname(path))
    if (folder === null) return null
    const name = basename(path)
    const alike = (await files.list(folder)).filter((one) => one === name || redact(one) === name)
    return alike.length === 1 ? join(folder, alike[0] ?? name) : null
  }

  return {
    written(change) {
      const path = writtenPath(change.path)
      return path === change.path ? change : { ...change, path }
    },
    exact: async (path) => known.get(path) ?? (await found(path)),
  }
}
