import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Workspace extends Disposable {
  path(name: string): string
}

/** Makes a directory that is removed with the test. */
export function openWorkspace(): Workspace {
  const directory = mkdtempSync(join(tmpdir(), 'parley-host-test-'))
  return {
    path: (name) => join(directory, name),
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  }
}
