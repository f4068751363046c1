import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { SandboxLimits } from '../../src/sandbox/sandbox.ts'

export interface Playground extends Disposable {
  path(name: string): string
  /** Writes files by their names, with the folders that they need. */
  write(files: Readonly<Record<string, string>>): void
  limits(more?: Partial<SandboxLimits>): SandboxLimits
}

/** Makes a workspace, a home with a secret, a folder outside and one for temporary files, removed with the test. */
export function openPlayground(parent = tmpdir()): Playground {
  const folder = realpathSync(mkdtempSync(join(parent, 'parley-sandbox-test-')))
  const path = (name: string) => join(folder, name)
  for (const name of ['workspace/.git/hooks', 'workspace/src', 'home/.ssh', 'out', 'scratch']) {
    mkdirSync(path(name), { recursive: true, mode: 0o700 })
  }
  writeFileSync(path('workspace/file'), 'old')
  writeFileSync(path('home/.ssh/id'), 'a secret key')
  writeFileSync(path('home/.profile'), 'a start file')
  writeFileSync(path('out/victim'), 'victim')
  const limits = {
    mode: 'workspace-write',
    writableRoots: [path('workspace')],
    network: false,
    unixSockets: false,
    masked: [path('home/.ssh')],
    scratch: path('scratch'),
  } as const
  return {
    path,
    write(files) {
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(path(name)), { recursive: true })
        writeFileSync(path(name), text)
      }
    },
    limits: (more = {}) => ({ ...limits, ...more }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}
