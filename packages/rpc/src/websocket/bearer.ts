import { createHash, timingSafeEqual } from 'node:crypto'

/** Digests are compared, so neither the time nor the length tells how near a guess was. */
export function carriesToken(authorization: string | undefined, token: string): boolean {
  const given = /^Bearer +(.+)$/i.exec(authorization ?? '')?.[1] ?? ''
  return timingSafeEqual(digest(given), digest(token))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
