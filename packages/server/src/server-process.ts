import { Console } from 'node:console'
import { sweepOrphans } from '@parley/host'
import { createStreamTransport } from '@parley/rpc'
import { createEngine, type EngineParts } from './engine/engine.ts'
import { serveConnection } from './faces/conversation/serve-connection.ts'

/** After a defect (EX_SOFTWARE). */
const defectExitCode = 70
/** The disk refused at the end (EX_IOERR). */
const unsavedExitCode = 74
const farewellMs = 1500
/** What a killed server left running is looked for when nobody waits for us any more. */
const sweepAfterMs = 2000

/** Makes this process a server for the one client on its stdin and stdout. Resolves with the exit code when it is gone. */
export async function serveProcess(parts: EngineParts): Promise<number> {
  keepStdoutForProtocol()
  // A client that goes away closes our stdin; a signal is taken for the same.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.stdin.destroy())
  process.on('SIGHUP', () => undefined)
  const engine = createEngine(parts)
  const close = async () => {
    await engine[Symbol.asyncDispose]()
    await parts.host.close()
  }
  endOnDefect(parts.writeLog, close)
  sweepLater(parts.writeLog)
  await serveConnection(createStreamTransport({ input: process.stdin, output: process.stdout }), engine)
  try {
    await close()
    return 0
  } catch (error) {
    parts.writeLog(String(error))
    return unsavedExitCode
  }
}

/** What a dependency prints goes to stderr. */
function keepStdoutForProtocol(): void {
  globalThis.console = new Console(process.stderr)
}

/** Nothing a user did leads here. Commands are ended and the log is closed, for a moment, then the process goes. */
function endOnDefect(writeLog: (line: string) => void, close: () => Promise<void>): void {
  const fail = (error: unknown) => {
    writeLog(`defect: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    setTimeout(() => process.exit(defectExitCode), farewellMs).unref()
    close().then(
      () => process.exit(defectExitCode),
      () => process.exit(defectExitCode),
    )
  }
  process.once('uncaughtException', fail)
  process.once('unhandledRejection', fail)
}

function sweepLater(writeLog: (line: string) => void): void {
  const sweep = () =>
    sweepOrphans().then(
      (count) => {
        if (count > 0) writeLog(`ended ${count} processes that a killed server left running`)
      },
      (error: unknown) => writeLog(`looking for orphans failed: ${String(error)}`),
    )
  setTimeout(sweep, sweepAfterMs).unref()
}
