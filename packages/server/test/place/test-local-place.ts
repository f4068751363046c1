import { join } from 'node:path'
import { noSandboxes, openHost } from '@parley/host'
import { diskPatchFiles } from '../../src/patch/disk-patch-files.ts'
import { localPlace } from '../../src/place/local-place.ts'
import type { Place } from '../../src/place/place.ts'

/** This machine with another home, for what only looks at files. */
export function testLocalPlace(home: string): Place {
  return localPlace({
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
