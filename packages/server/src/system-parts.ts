import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { openHost, openSandboxes } from '@parley/host'
import { nodeFiles } from '@parley/journal'
import { createShellParser } from '@parley/policy'
import { createRedaction } from '@parley/redaction'
import { diskFiles, diskPatchFiles, ownFiles, type SecretPaths, secretPaths } from '@parley/workspace'
import type { EngineParts } from './engine/engine.ts'
import { createModelSources } from './engine/settings/model-sources.ts'
import { keepHomePrivate } from './keep-home-private.ts'
import { systemClock } from './ports/clock.ts'
import { randomIds } from './ports/ids.ts'
import { openServerLog } from './server-log.ts'
import type { ServerOptions } from './server-options.ts'
import { ownRunFolders } from './serving/run-folder.ts'

/** The parts of a server that talk to the real system; tests hand in their own for some of them. */
export function systemParts(options: ServerOptions): EngineParts {
  const { home, env, assets } = options
  const redaction = createRedaction({ home, env })
  const log = openServerLog(home, redaction.text)
  const mended = keepHomePrivate(home)
  if (mended !== null) sayMended(mended, log.write)
  const own = () => ownFiles(home)
  let secrets: Promise<SecretPaths> | null = null
  const userHome = env['HOME'] ?? homedir()
  return {
    program: `parley/${options.version}`,
    identity: { serverInfo: { name: 'parley', version: options.version, build: options.build }, home },
    home,
    userHome,
    env,
    clock: systemClock,
    ids: randomIds,
    random: Math.random,
    redaction,
    files: nodeFiles,
    host: openHost(),
    sandboxes: openSandboxes({ cacheFile: join(home, 'cache', 'sandbox.json'), build: options.build, env, own }),
    shellParser: createShellParser(assets.shellParser),
    secrets: () => {
      secrets ??= secretPaths(
        { home: userHome, parleyHome: home, own: own(), runFolders: [...ownRunFolders(env), ...options.sockets] },
        diskFiles,
      )
      return secrets
    },
    ripgrep: assets.ripgrep,
    shell: existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh',
    patchFiles: diskPatchFiles,
    models: (config) =>
      createModelSources(config, {
        env,
        clock: systemClock,
        recordings: assets.recordings,
        paced: options.paced,
        recordTo: options.recordTo,
        redact: redaction.text,
        onProblem: (problem) => log.write(String(problem)),
      }),
    report: (fault) => log.write(String(fault)),
    writeLog: log.write,
  }
}

function sayMended(sentence: string, write: (line: string) => void): void {
  write(sentence)
  process.stderr.write(`parley: ${sentence}\n`)
}
