import type { HttpWire } from '../../exchange/http-wire.ts'
import { type Environment, type Provider, providerDefaults } from '../../port/wire.ts'
import { openaiApi } from '../openai-api.ts'
import { createResponsesReader } from './read-response.ts'
import { createResponsesWriter } from './write-request.ts'

/** Wire of the Responses API of OpenAI. */
export const responsesWire: HttpWire = {
  ...openaiApi,
  version: 'responses/1',
  builtinProviders: (env) => [openaiProvider(env)],
  requestPath: () => '/responses',
  createWriter: createResponsesWriter,
  createReader: createResponsesReader,
}

export function openaiProvider(env: Environment): Provider {
  return {
    ...providerDefaults,
    id: 'openai',
    name: 'OpenAI',
    baseUrl: env['OPENAI_BASE_URL']?.trim() || 'https://api.openai.com/v1',
    envKey: 'OPENAI_API_KEY',
    otherEnvKey: 'CODEX_API_KEY',
    defaultModel: 'gpt-5',
  }
}
