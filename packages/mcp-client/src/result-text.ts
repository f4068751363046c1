import type { CallResult, ResultPart } from './connection-port.ts'

/** What came back, as one text. Bytes that are no text are kept with `keep`, and the text says where. */
export async function textOfParts(
  parts: readonly ResultPart[],
  keep: (bytes: Buffer) => Promise<string>,
): Promise<string> {
  const texts = await Promise.all(parts.map((part) => textOf(part, keep)))
  return texts.join('\n')
}

/** Structured content is told where no text does: servers are asked to send it as text as well. */
export async function textOfResult(
  { parts, structured }: CallResult,
  keep: (bytes: Buffer) => Promise<string>,
): Promise<string> {
  const isTold = structured === null || parts.some(({ kind }) => kind === 'text')
  const text = await textOfParts(parts, keep)
  if (isTold) return text
  return [text, JSON.stringify(structured)].filter((piece) => piece !== '').join('\n')
}

async function textOf(part: ResultPart, keep: (bytes: Buffer) => Promise<string>): Promise<string> {
  switch (part.kind) {
    case 'text':
      return part.text
    case 'link':
      return `[resource ${part.name}: ${part.uri}]`
    case 'bytes': {
      const bytes = Buffer.from(part.base64, 'base64')
      return `[${part.mediaType}, ${bytes.length} bytes, kept as ${await keep(bytes)}]`
    }
  }
}
