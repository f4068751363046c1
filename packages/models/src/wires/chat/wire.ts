import type { HttpWire } from '../../exchange/http-wire.ts'
import { type Provider, providerDefaults } from '../../port/wire.ts'
import { openaiApi } from '../openai-api.ts'
import { createChatReader } from './read-response.ts'
import { createChatWriter } from './write-request.ts'

/** Wire of the Chat Completions API, which most compatible servers have. */
export const chatWire: HttpWire = {
  ...openaiApi,
  version: 'chat/1',
  builtinProviders: () => localProviders,
  requestPath: () => '/chat/completions',
  createWriter: createChatWriter,
  createReader: createChatReader,
}

const localProviders: readonly Provider[] = [
  localProvider('ollama', 'Ollama', 11434),
  localProvider('lmstudio', 'LM Studio', 1234),
  localProvider('llamacpp', 'llama.cpp', 8080),
  localProvider('vllm', 'vLLM', 8000),
]

function localProvider(id: string, name: string, port: number): Provider {
  return { ...providerDefaults, id, name, baseUrl: `http://127.0.0.1:${port}/v1` }
}
