import { join } from 'node:path'
import type { NamedServer } from '@parley/client/named-servers'
import type { EngineParts } from '@parley/engine'
import { type AppServerParts, serveAppServer } from '@parley/frontends/app-server'
import { createStreamTransport, ListenError, type Transport } from '@parley/rpc'
import { UsageError } from '@parley/serving/flags'
import { type Accepted, listenForCodex } from '@parley/serving/listen-for-codex'
import type { AppServerArguments } from '../arguments.ts'
import { endStdinOnSignals, runWithEngine, untilSignal } from '../engine-program.ts'
import { noCommands, noFiles } from '../named-servers.ts'

/** Text for users that run the command by hand. */
const terminalHint =
  "parley app-server speaks the protocol of Codex's app-server on stdin and stdout, for a program that starts it. Ctrl+D ends it; parley help app-server says more.\n"

/** Runs an app-server until its client is gone or a signal ends it. Resolves with the exit code. */
export async function runAppServer(
  parts: EngineParts,
  args: AppServerArguments,
  server: NamedServer | null,
): Promise<number> {
  let problem: string | null = null
  const exitCode = await runWithEngine(parts, { ...args, server }, async ({ engine, limits, library }) => {
    const app: AppServerParts = {
      connect: (who) => library({ ...who, canApprove: true }),
      home: engine.identity.home,
      version: engine.identity.serverInfo.version,
      limits,
      startCommand: server === null ? engine.clientAccess.startCommand : noCommands,
      files: server === null ? engine.clientAccess.clientFiles : noFiles,
      now: parts.clock.now,
    }
    const serve = (transport: Transport) => serveAppServer(transport, app, (fault) => engine.report(fault))
    if (args.listen === null) return serveStdio(serve)
    problem = await serveAll(
      args,
      engine.identity.home,
      (transport) => void serve(transport).catch((error) => engine.report(error)),
    )
  })
  if (problem === null) return exitCode
  process.stderr.write(`parley app-server: ${problem}\n`)
  return 1
}

async function serveStdio(serve: (transport: Transport) => Promise<void>): Promise<void> {
  endStdinOnSignals()
  if (process.stdin.isTTY) process.stderr.write(terminalHint)
  await serve(createStreamTransport({ input: process.stdin, output: process.stdout }))
}

/** Serves all clients until a signal. Returns why it could not listen; null after a signal. */
async function serveAll(
  { listen, tokenFile }: AppServerArguments,
  home: string,
  accept: Accepted,
): Promise<string | null> {
  if (listen === null) return null
  try {
    const { listener, words } = await listenForCodex(listen, {
      tokenFile: tokenFile ?? join(home, 'app-server-token'),
      accept,
      report: (sentence) => void process.stderr.write(`parley app-server: ${sentence}\n`),
    })
    process.stderr.write(`parley app-server listens on ${words}\n`)
    await untilSignal()
    await listener.close()
    return null
  } catch (error) {
    if (error instanceof ListenError || error instanceof UsageError) return error.message
    throw error
  }
}
