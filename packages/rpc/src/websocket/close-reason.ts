import type { CloseReason } from '../transport.ts'

/** 1000 and 1001 are goodbyes, 1005 is one without a code, 1006 a far side that vanished. */
const plainEnds: ReadonlySet<number> = new Set([1000, 1001, 1005, 1006])

export function closeReasonOf(code: number): CloseReason {
  return plainEnds.has(code) ? { code: 'ended' } : { code: 'ended', detail: `closed with ${code}` }
}

const farSideIsGone: ReadonlySet<string> = new Set(['EPIPE', 'ECONNRESET'])

export function errorReasonOf(error: Error): CloseReason {
  const detail = 'code' in error && typeof error.code === 'string' ? error.code : error.message
  return { code: farSideIsGone.has(detail) ? 'ended' : 'broken', detail }
}
