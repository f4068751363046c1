import { join } from 'node:path'
import { noSandboxes, openHost } from '@parley/host'
import { diskPatchFiles, type Environment, localEnvironment } from '@parley/workspace'

/** This machine with another home, for what only looks at files. */
export function testLocalPlace(home: string): Environment {
  return localEnvironment({
    host: openHost(),
    sandboxes: noSandboxes('Tests have no sandbox.'),
    shell: '/bin/sh',
    home: join(home, '.parley'),
    userHome: home,
    env: {},
    patchFiles: diskPatchFiles,
    ripgrep: 'rg',
    secrets: () => Promise.resolve([]),
  })
}
