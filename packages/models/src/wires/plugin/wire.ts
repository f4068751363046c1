import { Watchdog } from '../../http/watchdog.ts'
import { defaultLimits } from '../../port/client-ports.ts'
import type { ModelClient, ModelEvent, ModelFailure, ModelRequest } from '../../port/model-client.ts'
import type { Provider } from '../../port/provider.ts'
import type { ToolRules } from '../../port/tool-rules.ts'
import type { Wire } from '../../port/wire.ts'
import { createPluginFailures } from './explain-plugin.ts'
import { listPluginModels } from './list-models.ts'
import type { CallMessage, PluginProcess } from './plugin-process.ts'
import { createPartReader } from './read-parts.ts'
import { createPlugin, type Plugin } from './start-plugin.ts'
import { writeCall } from './write-call.ts'

/** A package may speak with any API, so its tools keep the rules of all. */
const toolRules: ToolRules = {
  notAtTop: ['oneOf', 'anyOf', 'allOf', 'enum', 'not'],
  plainNames: true,
  arraysHaveItems: true,
  pythonPatterns: true,
  plainReferences: false,
}

/** Wire of AI SDK packages: each runs in a process of its own, which has its key and nothing else of the user's. */
export const pluginWire: Wire = {
  createClient(provider, ports) {
    const plugin = createPlugin(provider, ports)
    return {
      adapter: adapterOf(provider),
      toolRules,
      stream: (request, signal) => streamPlugin(plugin, request, signal),
      listModels: (signal) => listPluginModels(plugin, signal),
    } satisfies ModelClient
  },
}

function adapterOf({ id }: Provider): string {
  return `plugin/1:${id}`
}

async function* streamPlugin(
  plugin: Plugin,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void, undefined> {
  if (signal.aborted) return yield { type: 'aborted' }
  const started = await plugin.start()
  if ('failure' in started) return yield { type: 'failed', failure: started.failure }
  if (signal.aborted) return yield { type: 'aborted' }
  const exchange = beginCall(started.process, plugin, { request, signal })
  try {
    for (;;) {
      const event = await exchange.next()
      yield event
      if (event.type === 'completed' || event.type === 'failed' || event.type === 'aborted') return
    }
  } finally {
    exchange.close()
  }
}

/** Begins one call. `next` resolves with its events, the last one terminal; `close` ends a call that still runs. */
function beginCall(
  process: PluginProcess,
  { provider, ports }: Plugin,
  { request, signal }: { readonly request: ModelRequest; readonly signal: AbortSignal },
) {
  const totalMs = ports.limits?.maxResponseMs ?? provider.requestTimeoutMs ?? defaultLimits.maxResponseMs
  const waiting: ModelEvent[] = []
  const reader = createPartReader(request)
  let wake: () => void = () => undefined
  let hasAnswer = false
  let id: number | null = null
  const failures = createPluginFailures(provider, ports, request.model)
  const push = (...events: readonly ModelEvent[]) => {
    for (const event of events) waiting.push(event)
    wake()
  }
  const fail = (failure: ModelFailure) => push({ type: 'failed', failure })

  function onMessage(message: CallMessage): void {
    watchdog.alive()
    if (message === null) fail(failures.endedEarly(process.lastWords, hasAnswer))
    else if (message['type'] === 'error') fail(failures.explained(message['error'], hasAnswer))
    else if (message['type'] === 'end') fail(failures.endedEarly('its stream had no end', hasAnswer))
    else {
      hasAnswer = true
      const read = reader.read(message['part'])
      if ('unfinished' in read) fail(failures.endedEarly(read.unfinished, true))
      else if ('error' in read) fail(failures.explained(read.error, true))
      else push(...read)
    }
  }

  const watchdog = new Watchdog(signal, { idleMs: provider.streamIdleTimeoutMs, totalMs }, () => {
    if (watchdog.trip === 'aborted') return push({ type: 'aborted' })
    const seconds = provider.streamIdleTimeoutMs / 1_000
    const failure: ModelFailure =
      watchdog.trip === 'idle'
        ? {
            code: 'idleTimeout',
            message: `The plug-in of ${provider.name} has sent nothing for ${seconds} s.`,
            retry: 'short',
          }
        : {
            code: 'responseTooLong',
            message: `The answer of ${provider.name} did not end in time. Ask again in smaller steps.`,
            retry: 'never',
          }
    fail(failure)
  })
  void process.opened.then((error) => {
    if (error !== null) fail(failures.notOpened(error))
    else if (watchdog.trip === undefined)
      id = process.call(
        { type: 'call', model: request.model, options: writeCall(request, adapterOf(provider)) },
        onMessage,
      )
  })

  return {
    async next(): Promise<ModelEvent> {
      while (waiting.length === 0)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      return waiting.shift() ?? { type: 'aborted' }
    },
    close(): void {
      watchdog.stop()
      if (id !== null) process.cancel(id)
    },
  }
}
