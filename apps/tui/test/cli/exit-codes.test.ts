import { wireErrors } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import { type ExitCode, exitCodeOf, exitCodes, weightiest } from '../../src/cli/exit-codes.ts'

describe('the exit code of a failure', () => {
  test.each<[number, readonly string[]]>([
    [1, ['invalidRequest', 'unknownModel', 'notFound', 'contextTooLong', 'quota', 'redirect', 'unexpectedReply']],
    [1, ['responseTooLong', 'responseTooLarge', 'oversizedEvent', 'recordingMismatch', 'a code of tomorrow']],
    [2, ['invalidParams', 'configInvalid', 'cwdMissing', 'badBaseUrl', 'recordingUnreadable', 'messageTooLarge']],
    [3, ['noCredentials', 'unknownProvider', 'auth', 'accessEnded']],
    [5, ['conversationNotFound', 'ambiguousConversation']],
    [7, ['timeout']],
    [8, ['unreachable', 'connectTimeout', 'connectionReset', 'tls', 'streamCut', 'idleTimeout']],
    [8, ['serverUnreachable', 'malformedStream', 'overloaded', 'rateLimited', 'providerError']],
    [9, ['storageFailed', 'readOnly', 'liveElsewhere', 'outputFailed']],
    [70, ['internal', 'connectionClosed', 'serverFailed', 'protocolVersion']],
  ])('is %i for %j', (exitCode, codes) => {
    expect(codes.map((code) => [code, exitCodeOf(code)])).toEqual(codes.map((code) => [code, exitCode]))
  })

  test('is never 0, whatever the server calls it', () => {
    const names = [...Object.keys(wireErrors), 'toString', '__proto__', '']
    expect(names.filter((name) => exitCodeOf(name) === exitCodes.ok)).toEqual([])
  })
})

describe('when several codes apply', () => {
  const order: readonly ExitCode[] = [130, 143, 9, 7, 4, 8, 1]

  test('the order is 130, 143, 9, 7, 4, 8, 1', () => {
    for (const [at, code] of order.entries()) {
      expect(weightiest(order.slice(at).toReversed())).toBe(code)
    }
  })

  test('a reason of its own is told before the general failure', () => {
    expect(weightiest([exitCodes.turnFailed, exitCodes.noCredentials])).toBe(exitCodes.noCredentials)
    expect(weightiest([exitCodes.internal, exitCodes.turnFailed])).toBe(exitCodes.internal)
  })
})
