import type { Launch } from '../main.ts'
import { formatAgo } from '../view/ago.ts'
import { connect } from './connect.ts'
import { exitCodes } from './exit-codes.ts'

/** `parley list`. */
export async function runList(
  launch: Launch,
  flags: { json?: boolean; archived?: boolean; limit: number },
): Promise<number> {
  await using connection = await connect(launch, { canApprove: false, clientName: 'parley-list' })
  const { conversations } = await connection.client.request('conversation/list', {
    limit: flags.limit,
    archived: flags.archived === true,
  })
  const now = Date.now()
  const lines = conversations.map((conversation) => {
    if (flags.json === true) return JSON.stringify(conversation)
    const { shortId, updatedAt, title, name, cwd, live } = conversation
    return `${shortId}  ${formatAgo(updatedAt, now).padEnd(8)}  ${name ?? (title || '(no message)')}${live === null ? '' : '  [live]'}\n          ${cwd}`
  })
  process.stdout.write(lines.length === 0 ? '' : `${lines.join('\n')}\n`)
  if (lines.length === 0 && flags.json !== true) process.stderr.write('No conversations yet. `parley` starts one.\n')
  return exitCodes.ok
}
