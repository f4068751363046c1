import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { noSandbox, openHost } from '@parley/host'
import { createStreamTransport } from '@parley/rpc'
import type { Engine, EngineParts } from './engine/engine.ts'
import { serveConnection } from './faces/conversation/serve-connection.ts'
import { createShellParser } from './facts/parse-shell.ts'
import { type SecretPlaces, secretPlaces } from './facts/secret-places.ts'
import { nodeFiles } from './log/node-files.ts'
import { systemClock } from './ports/clock.ts'
import { randomIds } from './ports/ids.ts'
import { openServerLog } from './server-log.ts'
import type { ServerOptions } from './server-options.ts'

/** The parts of a server that talk to the real system; tests hand in their own for some of them. */
export function systemParts(options: ServerOptions): EngineParts {
  const { home, env, assets } = options
  const log = openServerLog(home)
  let secrets: Promise<SecretPlaces> | null = null
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
    files: nodeFiles,
    host: openHost(),
    sandbox: noSandbox('C'),
    shellParser: createShellParser(assets.shellParser),
    secrets: () => {
      secrets ??= secretPlaces({ home: userHome, parleyHome: home })
      return secrets
    },
    ripgrep: assets.ripgrep,
    shell: existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh',
    models: {
      env,
      clock: systemClock,
      demoRecording: assets.demoRecording,
      paced: options.paced,
      recordTo: options.recordTo,
      onProblem: (problem) => log.write(String(problem)),
    },
    report: (fault) => log.write(String(fault)),
    writeLog: log.write,
  }
}

/** Serves one client on stdio until it is gone, then stops what runs and saves. */
export async function serveStdio(engine: Engine, parts: Pick<EngineParts, 'host'>): Promise<void> {
  const transport = createStreamTransport({ input: process.stdin, output: process.stdout })
  await serveConnection(transport, engine)
  await engine[Symbol.asyncDispose]()
  await parts.host.close()
}
