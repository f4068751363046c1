import { type ModelServer, type RecordedRequest, type ScriptedStep, startModelServer } from '@parley/testkit'

/**
 * Model whose every turn is a sentence, one command and an end. Each command adds a line of its own to the file `ran`,
 * so that one that ran twice is seen.
 */
export async function startNumberedModel(command = (line: string) => `echo ${line} >> ran`): Promise<ModelServer> {
  let lines = 0
  const answer = ({ body }: RecordedRequest) => {
    if (lastInput(body) === 'function_call_output') return { text: 'Done.' }
    lines += 1
    return {
      text: `Line ${lines}.`,
      chunks: 3,
      calls: [{ name: 'shell', arguments: { command: command(`${lines}`) } }],
    }
  }
  const steps = Array.from({ length: 200_000 }, (): ScriptedStep => answer)
  return startModelServer(steps, { keepsRequests: false })
}

/** Returns the type of the newest entry that the model is given. */
function lastInput(body: unknown): string {
  const { input } = body as { readonly input: readonly { readonly type?: string }[] }
  return input.findLast(({ type }) => type !== undefined)?.type ?? ''
}
