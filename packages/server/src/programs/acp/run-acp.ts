import { Readable, Writable } from 'node:stream'
import { ndJsonStream } from '@agentclientprotocol/sdk'
import { connect } from '@parley/client'
import { unsavedExitCode } from '@parley/protocol'
import { createMemoryTransportPair } from '@parley/rpc'
import { createEngine, type EngineParts } from '../../engine/index.ts'
import { serveAcp } from '../../frontends/acp/serve-acp.ts'
import { serveConnection } from '../../frontends/conversation/connections.ts'
import type { AcpArguments } from '../arguments.ts'
import { endOnDefect, keepStdoutForProtocol } from '../conventions.ts'
import { joinRunFolder } from '../join-run-folder.ts'

/** Text for a user who runs the command by hand. */
const terminalHint =
  'parley acp speaks ACP on stdin and stdout, for an editor that starts it. Ctrl+D ends it; parley help acp says more.\n'

/** Serves an editor on stdin and stdout until it is gone or a signal ends it. Resolves with the exit code. */
export async function runAcp(parts: EngineParts, args: AcpArguments): Promise<number> {
  keepStdoutForProtocol()
  const { writeLog } = parts
  const engine = createEngine({ ...parts, ceiling: args.ceiling })
  const close = async () => {
    await engine[Symbol.asyncDispose]()
    await parts.host.close()
  }
  endOnDefect(writeLog, close)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.stdin.destroy())
  process.on('SIGHUP', () => undefined)
  // An editor that is gone is noticed by the end of stdin.
  process.stdout.on('error', () => undefined)
  if (process.stdin.isTTY) process.stderr.write(terminalHint)
  const leaveRunFolder = await joinRunFolder(engine, parts)
  const [ours, theirs] = createMemoryTransportPair()
  void serveConnection(theirs, engine)
  const { version } = engine.identity.serverInfo
  try {
    const parley = await connect({ transport: ours }, { name: 'acp', title: 'editor', version })
    const stream = ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin))
    await serveAcp(stream, { parley, version, report: (fault) => engine.report(fault) })
    await parley.close()
  } finally {
    await leaveRunFolder()
  }
  return close().then(
    () => 0,
    (error: unknown) => {
      writeLog(String(error))
      return unsavedExitCode
    },
  )
}
