import { Readable, Writable } from 'node:stream'
import { ndJsonStream } from '@agentclientprotocol/sdk'
import type { NamedServer } from '@parley/client/named-servers'
import type { EngineParts } from '@parley/engine'
import { offeredTexts, serveAcp } from '@parley/frontends/acp'
import type { FrontendArguments } from '../arguments.ts'
import { endStdinOnSignals, runWithEngine } from '../engine-program.ts'
import { noEditorServers } from '../named-servers.ts'

/** Text for users that run the command by hand. */
const terminalHint =
  'parley acp speaks ACP on stdin and stdout, for an editor that starts it. Ctrl+D ends it; parley help acp says more.\n'

/** Time in ms that an editor has to send its text of a file. */
const textLimitMs = 2_000

/** Serves an editor on stdin and stdout until it is gone or a signal ends it. Resolves with the exit code. */
export function runAcp(
  parts: EngineParts,
  { ceiling }: FrontendArguments,
  server: NamedServer | null,
): Promise<number> {
  const texts = offeredTexts(textLimitMs)
  return runWithEngine(parts, { ceiling, server, editors: texts }, async ({ engine, limits, library }) => {
    endStdinOnSignals()
    // An editor that is gone is noticed by the end of stdin.
    process.stdout.on('error', () => undefined)
    if (process.stdin.isTTY) process.stderr.write(terminalHint)
    const { version } = engine.identity.serverInfo
    const parley = await library({ name: 'acp', title: 'editor', version })
    const stream = ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin))
    const { now } = parts.clock
    const servers = server === null ? engine.editorServers : noEditorServers
    await serveAcp(stream, { parley, version, limits, now, texts, servers, report: (fault) => engine.report(fault) })
    await parley.close()
  })
}
