import { createInterface } from 'node:readline'
import type { Parley } from '@parley/client'
import { type ParamsOf, shortIdOf } from '@parley/protocol'
import { connect } from '../../cli/connect.ts'
import { exitCodes } from '../../cli/exit-codes.ts'
import { workingFolder } from '../../cli/folders.ts'
import type { Launch } from '../../cli/launch-server.ts'

export interface WebFlags {
  readonly port?: number
  readonly readOnly?: boolean
}

/**
 * Runs `parley web`: prints a link to the page of a server, and another at each Enter, until a signal. With an id, the page
 * of the process that has the conversation open, or else of a new one.
 */
export async function runWeb(launch: Launch, id: string | undefined, { port, readOnly }: WebFlags): Promise<number> {
  await using parley = await connect(launch, { clientName: 'parley-web' })
  const conversation = id === undefined ? null : await parley.resume(id)
  const server = conversation === null ? parley : parley.release(conversation)
  const request: ParamsOf<'web/open'> = {
    cwd: workingFolder(),
    ...(port === undefined ? {} : { port }),
    ...(readOnly === true ? { access: 'readOnly' } : {}),
    ...(conversation === null ? {} : { conversationId: conversation.id }),
  }
  await printLink(server, request)
  process.stderr.write(
    `It opens the page once, within 60 s${readOnly === true ? watchExtent(conversation) : ''}. Enter makes a new link, Ctrl+C ends.\n`,
  )
  const problem = await untilEnd(server, () => printLink(server, request))
  if (server !== parley) await server.close()
  if (problem === null) return exitCodes.ok
  if (conversation !== null) process.stderr.write(`\`parley web ${shortIdOf(conversation.id)}\` opens a page again.\n`)
  throw problem
}

/** Returns words for the extent of a link to watch. */
function watchExtent(conversation: object | null): string {
  return conversation === null ? ', to watch all conversations and settings' : ', to watch this conversation alone'
}

async function printLink(server: Parley, request: ParamsOf<'web/open'>): Promise<void> {
  const { url } = await server.request('web/open', request)
  process.stdout.write(`${url}\n`)
}

/** Resolves to null at a signal, or to the reason when the server has gone. */
async function untilEnd(server: Parley, onEnter: () => Promise<void>): Promise<Error | null> {
  const { promise: ended, resolve: end } = Promise.withResolvers<Error | null>()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => end(null))
  void server.closed.then(end)
  // The command may run in the background, so it goes on after the end of stdin.
  const lines = createInterface({ input: process.stdin })
  lines.on('line', () => void onEnter().catch(end))
  try {
    return await ended
  } finally {
    lines.close()
  }
}
