import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { explainFailure, isLostSession } from '../../src/replies/lost-session.ts'

const http = (status: number, body: string) =>
  new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, `Error POSTing to endpoint: ${body}`, { status })
const rpc = (code: number, message: string) => ProtocolError.fromError(code, message, undefined)

describe('an error of an endpoint', () => {
  it.each([
    http(404, '<html>Not found</html>'),
    http(410, '{}'),
    http(400, '{"error":{"code":-32000,"message":"Bad Request: Server not initialized"}}'),
    http(400, 'Bad Request: Mcp-Session-Id header is required'),
    http(400, '{"error":"Invalid session ID"}'),
    http(403, 'session expired'),
    http(422, 'no valid session'),
    http(500, '{"error":"session terminated"}'),
    rpc(-32001, 'Session not found'),
    rpc(-32001, 'gone'),
    rpc(-32600, 'Received request before initialization was complete'),
    rpc(-32600, "Unknown session id 'abc' for 'tools/call'; client should reinitialize"),
    rpc(-32000, 'Not initialized'),
    rpc(-32603, 'the session has expired'),
    rpc(-32000, 'Server has not been initialised'),
  ])('is a lost session: $status $code $message', (error) => {
    expect(isLostSession(error)).toBe(true)
  })

  it.each([
    http(401, 'your session has expired, log in'),
    http(400, 'missing argument: q'),
    http(403, 'forbidden'),
    http(429, 'too many requests'),
    http(500, 'Internal Server Error'),
    http(502, 'bad gateway'),
    rpc(-32001, 'Request timed out'),
    rpc(-32602, 'Invalid arguments for tool go'),
    rpc(-32603, 'the database is not initialized'),
    rpc(-32603, 'could not obsess over it'),
    new Error('Session not found'),
  ])('is none: $status $code $message', (error) => {
    expect(isLostSession(error)).toBe(false)
  })
})

it('an answer that the schemas of the SDK refuse is told in a sentence', () => {
  const issues = Object.assign(new Error('[{"code":"invalid_type"}]'), { issues: [{ code: 'invalid_type' }] })
  expect(explainFailure(issues)).toBe('its answer is not valid MCP')
  const misformed = new SdkError(SdkErrorCode.InvalidResult, 'Invalid result for tools/call: not an object')
  expect(explainFailure(misformed)).toBe('its answer is not valid MCP')
})
