import type { Client } from '@parley/client'
import type { ResultOf } from '@parley/protocol'
import { RpcError } from '@parley/rpc'
import type { Launch } from '../../main.ts'
import { showHidden } from '../../view/text/control-characters.ts'
import { connect } from '../connect.ts'
import { exitCodes } from '../exit-codes.ts'
import { workingFolder } from '../working-folder.ts'

type Words = readonly [first: string | undefined, second: string | undefined]
type Explained = ResultOf<'policy/why'>

/** `parley why`: what is stored of a call, as labelled lines. */
export async function tellWhy(launch: Launch, words: Words, { json }: { json?: boolean }): Promise<number> {
  await using connection = await connect(launch, { canApprove: false, clientName: 'parley-why' })
  const explained = await ask(connection.client, words)
  process.stdout.write(
    json === true
      ? `${JSON.stringify(explained)}\n`
      : explainedLines(explained)
          .map((line) => `${line}\n`)
          .join(''),
  )
  return exitCodes.ok
}

/** One word names a call of the newest conversation of this folder, else a conversation. */
async function ask(client: Client, [first, second]: Words): Promise<Explained> {
  const here = { cwd: workingFolder() }
  if (first === undefined) return client.request('policy/why', here)
  if (second !== undefined) return client.request('policy/why', { conversation: first, item: second })
  try {
    return await client.request('policy/why', { ...here, item: first })
  } catch (error) {
    if (!isNotFound(error)) throw error
    return client.request('policy/why', { conversation: first }).catch((other: unknown) => {
      throw isNotFound(other) ? error : other
    })
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof RpcError && ['itemNotFound', 'conversationNotFound'].includes(error.data?.code ?? '')
}

function explainedLines({ item, rows, conversationId }: Explained): readonly string[] {
  const width = Math.max(...rows.map(({ about }) => about.length))
  return [
    `${item.id} of ${conversationId.slice(-8)}`,
    ...rows.map(({ about, text }) => {
      const [head = '', ...more] = showHidden(text).split('\n')
      return [`  ${about.padEnd(width)}  ${head}`, ...more.map((line) => `  ${''.padEnd(width)}  ${line}`)].join('\n')
    }),
  ]
}
