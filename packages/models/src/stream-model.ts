import { type ExchangePlan, ModelExchange } from './model-exchange.ts'
import { isTerminal, type ModelEvent, type ModelRequest } from './port.ts'

/** One generator and no nesting: every `yield*` in between would cost each delta another promise. */
export async function* streamModel(
  plan: ExchangePlan,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void, undefined> {
  if (signal.aborted) {
    yield { type: 'aborted' }
    return
  }
  const exchange = new ModelExchange(plan, request, signal)
  try {
    for (;;) {
      for (const event of await exchange.nextBatch()) {
        if (signal.aborted) {
          yield { type: 'aborted' }
          return
        }
        yield event
        if (isTerminal(event)) return
      }
    }
  } finally {
    exchange.close()
  }
}
