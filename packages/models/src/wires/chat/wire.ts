import type { Wire } from '../wire.ts'
import { createChatReader } from './read-response.ts'
import { createChatWriter } from './write-request.ts'

export const chatWire: Wire = {
  version: 'chat/1',
  path: '/chat/completions',
  createWriter: createChatWriter,
  createReader: createChatReader,
}
