import type { HttpExchange } from './http.ts'

/** The body as text, no more than `maxBytes` of it; what a fault cut off is left out. */
export async function readText(http: HttpExchange, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  let chunk = await http.next()
  while (chunk.type === 'chunk' && sizeBytes < maxBytes) {
    chunks.push(chunk.bytes)
    sizeBytes += chunk.bytes.length
    chunk = await http.next()
  }
  return Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8')
}
