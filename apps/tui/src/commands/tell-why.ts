import type { Parley } from '@parley/client'
import type { ResultOf } from '@parley/protocol'
import { RpcError } from '@parley/rpc'
import { connect } from '../cli/connect.ts'
import { exitCodes } from '../cli/exit-codes.ts'
import { workingFolder } from '../cli/folders.ts'
import type { Launch } from '../cli/launch-server.ts'
import { showHidden } from '../view/text/control-characters.ts'

type Words = readonly [first: string | undefined, second: string | undefined]
type Explained = ResultOf<'policy/why'>

/** Runs `parley why`: the stored decision about a call, as labelled lines. */
export async function tellWhy(launch: Launch, words: Words, { json }: { json?: boolean }): Promise<number> {
  await using parley = await connect(launch, { clientName: 'parley-why' })
  const explained = await ask(parley, words)
  process.stdout.write(
    json === true
      ? `${JSON.stringify(explained)}\n`
      : explainedLines(explained)
          .map((line) => `${line}\n`)
          .join(''),
  )
  return exitCodes.ok
}

/** Requests the call. A single word names a call of this folder's newest conversation, else a conversation. */
async function ask(parley: Parley, [first, second]: Words): Promise<Explained> {
  const here = { cwd: workingFolder() }
  if (first === undefined) return parley.request('policy/why', here)
  if (second !== undefined) return parley.request('policy/why', { conversation: first, item: second })
  try {
    return await parley.request('policy/why', { ...here, item: first })
  } catch (error) {
    if (!isNotFound(error)) throw error
    return parley.request('policy/why', { conversation: first }).catch((other: unknown) => {
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
