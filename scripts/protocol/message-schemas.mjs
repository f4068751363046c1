import { wireErrors } from '../../packages/protocol/src/errors.ts'

const jsonrpc = { const: '2.0' }
const id = { type: ['string', 'integer'], description: 'Chosen by the client, echoed verbatim; 0 is an id.' }

/** Returns the JSON-RPC messages around the types: requests by method, notifications, both kinds of reply. */
export function messageSchemas(methods, notifications) {
  return {
    ClientRequest: {
      description: 'A request of the client.',
      oneOf: Object.entries(methods).map(([name, { params }]) =>
        message({ jsonrpc, id, method: { const: name }, params }),
      ),
    },
    ClientNotification: {
      description: 'Sent once, after the answer to `initialize`.',
      ...message({ jsonrpc, method: { const: 'initialized' } }),
    },
    ServerNotification: {
      description: 'What the server sends unasked.',
      oneOf: Object.entries(notifications).map(([name, { params }]) =>
        message({ jsonrpc, method: { const: name }, params }),
      ),
    },
    ResultReply: {
      description: 'A request succeeded; `x-methods` says what its result is.',
      ...message({ jsonrpc, id, result: { type: 'object' } }),
    },
    ErrorReply: {
      description: 'A request failed.',
      ...message({ jsonrpc, id: { type: ['string', 'integer', 'null'] }, error: { $ref: '#/$defs/ErrorObject' } }),
    },
    ErrorObject: errorObject,
  }
}

const errorObject = {
  type: 'object',
  properties: {
    code: { type: 'integer', enum: [...new Set(Object.values(wireErrors))] },
    message: { type: 'string', description: 'For people.' },
    data: {
      type: 'object',
      properties: {
        code: {
          type: 'string',
          enum: Object.keys(wireErrors),
          description: 'For programs; further keys belong to it.',
        },
      },
      required: ['code'],
    },
  },
  required: ['code', 'message', 'data'],
}

function message(properties) {
  return { type: 'object', properties, required: Object.keys(properties) }
}
