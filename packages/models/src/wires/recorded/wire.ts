import { readUnlocked } from '@parley/host'
import { type FailureCode, type ModelClient, zeroUsage } from '../../port/model-client.ts'
import type { ModelRequest } from '../../port/model-request.ts'
import type { Wire } from '../../port/wire.ts'
import { chooseRecorded, countRecorded, recordedAdapter } from './choose-response.ts'
import { type Choice, type PlayOptions, play } from './play.ts'
import type { ParsedRecording, RecordedResponse } from './recording.ts'
import { digestRequest, firstDifference } from './request-digest.ts'

/** Wire that plays the recording of a provider in place of a model. */
export const recordedWire: Wire = {
  builtinProviders: () => [],
  createClient: ({ recording }, { paced = false, sleep }) =>
    createRecordedClient({
      read: () => readRecording(recording),
      mode: 'lenient',
      paced,
      ...(sleep === undefined ? {} : { sleep }),
    }),
}

function readRecording(path: string | undefined): string {
  if (path === undefined) throw new Error('the provider names no recording')
  return readUnlocked(path)
}

export interface RecordedOptions extends PlayOptions {
  /** Returns the JSONL; called once, at the first request. */
  readonly read: () => string | Promise<string>
  /** `lenient` continues after any request; `strict` fails at the first request that differs from the recorded one. */
  readonly mode: 'lenient' | 'strict'
}

/** Creates a client that plays a recording. Its place in the recording follows from the conversation alone. */
export function createRecordedClient(options: RecordedOptions): ModelClient {
  let parsed: Promise<ParsedRecording> | undefined
  const choose = async (request: ModelRequest): Promise<Choice> => {
    parsed ??= load(options.read)
    const recording = await parsed
    if (recording.type === 'unreadable') {
      return failed('recordingUnreadable', `The recording cannot be played: ${recording.problem}.`)
    }
    const { responses } = recording
    if (options.mode === 'strict') return chooseStrictly(responses, request)
    return chooseRecorded(responses, request.entries) ?? ending()
  }
  return {
    adapter: recordedAdapter,
    stream: (request, signal) => play(() => choose(request), options, signal),
    listModels: async () => ({ type: 'models', models: ['recorded'] }),
  }
}

async function load(read: RecordedOptions['read']): Promise<ParsedRecording> {
  try {
    // Imported on first use: only playing a recording needs its schemas.
    const { parseRecording } = await import('./recording.ts')
    return parseRecording(await read())
  } catch (error) {
    return { type: 'unreadable', problem: error instanceof Error ? error.message : String(error) }
  }
}

function chooseStrictly(responses: readonly RecordedResponse[], request: ModelRequest): Choice {
  const index = countRecorded(request.entries)
  const response = responses[index]
  if (response === undefined) return ending()
  const difference = firstDifference(digestRequest(request), responses, index)
  if (difference === undefined) return response
  const message = `Request ${index + 1} is not the recorded one: ${difference} differs. Record it again, or play it leniently.`
  return failed('recordingMismatch', message)
}

function ending(): RecordedResponse {
  return {
    id: 'end',
    events: [
      { type: 'textDone', part: 'text-0', text: 'The recording ends here.' },
      { type: 'completed', parts: [], usage: zeroUsage, stop: 'stop' },
    ],
  }
}

function failed(code: FailureCode, message: string): Choice {
  return { type: 'failed', failure: { code, message, retry: 'never' } }
}
