import type { Line } from '@parley/journal'
import { shortenTexts } from './shorten-texts.ts'

/** Bytes; with what carries it, it is less than a line of the wire may have. */
const deliverableBytes = 24 << 20
const shortLength = 64 * 1024

/** Tells if so many bytes of the log can go to a client as they are; all lines written now can. */
export function isDeliverable(sizeBytes: number): boolean {
  return sizeBytes <= deliverableBytes
}

/** Returns the text of a line for clients. A line of an earlier version that is longer than they take has its texts cut. */
export function deliverableText({ elidedText: text }: Line): string {
  if (text.length * 3 <= deliverableBytes || isDeliverable(Buffer.byteLength(text))) return text
  const logged: unknown = JSON.parse(text)
  return JSON.stringify(cutTexts(logged))
}

/** Copies what is too long to be sent, with each long text cut to its beginning. */
export function cutTexts<Value>(value: Value): Value {
  return shortenTexts(value, shortLength)
}
