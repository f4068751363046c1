import type { Wire } from '../wire.ts'
import { createResponsesReader } from './read-response.ts'
import { createResponsesWriter } from './write-request.ts'

export const responsesWire: Wire = {
  version: 'responses/1',
  path: '/responses',
  createWriter: createResponsesWriter,
  createReader: createResponsesReader,
}
